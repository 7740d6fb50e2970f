export * from '@contract-first/client/devtools';
