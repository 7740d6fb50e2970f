import type { ServiceParts } from '../contract/service-parts.ts';
import { operations } from './index.ts';
import { storeDefinition } from './storage/index.ts';
import type { NoteStore } from './storage/store.ts';

export const api: Omit<ServiceParts<NoteStore>, 'main'> = {
  operations,
  store: storeDefinition,
  firstCalls: (apiUrl) => [`curl "${apiUrl}/about"`],
};
