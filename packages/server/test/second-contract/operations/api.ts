import type { ServiceParts } from '@contract-first/service';
import { contract } from '../api-contract.ts';
import { operations } from './index.ts';
import { storeDefinition } from './storage/index.ts';
import type { NoteStore } from './storage/store.ts';

export const api = {
  contract,
  folder: new URL('../generated/', import.meta.url),
  operations,
  store: storeDefinition,
  firstCalls: (apiUrl: string) => [`curl "${apiUrl}/about"`],
} satisfies Omit<ServiceParts<NoteStore, typeof contract>, 'main'>;
