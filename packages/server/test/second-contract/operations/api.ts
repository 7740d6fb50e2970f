import { contract } from '@animal-store/contract/service';
import type { ServiceParts } from '@contract-first/service';
import { operations } from './index.ts';
import { storeDefinition } from './storage/index.ts';
import type { NoteStore } from './storage/store.ts';

export const api = {
  contract,
  folder: new URL('../../../..', import.meta.url),
  operations,
  store: storeDefinition,
  firstCalls: (apiUrl: string) => [`curl "${apiUrl}/about"`],
} satisfies Omit<ServiceParts<NoteStore>, 'main'>;
