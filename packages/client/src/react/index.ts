'use client';
/** Hooks for React, and what react-query needs in it. */
import type { paths } from '@animal-store/contract/types';
import * as core from '@contract-first/client/react';
import type { QueryClient } from '@tanstack/react-query';

export { useRateLimit } from '@contract-first/client/react';
export type { AnimalStoreError } from '../queries/index.ts';

/**
 * Marks the data of these paths, and of the paths below them, as out of date. react-query then fetches what is on screen again. For
 * `onSuccess` of a mutation: `invalidate(queryClient, '/pets')` covers the list of pets and each pet.
 */
export const invalidate: <Paths extends object = paths>(
  queryClient: QueryClient,
  ...changed: (keyof Paths)[]
) => Promise<void> = core.invalidate;
