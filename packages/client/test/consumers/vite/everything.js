export * from '@animal-store/client';
