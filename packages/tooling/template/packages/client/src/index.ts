export { ApiError } from '@contract-first/client';
export { isApiError } from './errors.ts';
export type * from './generated/errors.ts';
export { createMyApi } from './my-api.ts';
