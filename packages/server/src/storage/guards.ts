import { type PetStatus, type Plan, plans } from '@animal-store/contract';

// The type makes this list complete: a status that the contract gains or loses does not compile.
const statuses: { [Status in PetStatus]: true } = { available: true, pending: true, sold: true };

export function isPetStatus(value: unknown): value is PetStatus {
  return typeof value === 'string' && Object.hasOwn(statuses, value);
}

export function isPlan(value: unknown): value is Plan {
  return typeof value === 'string' && Object.hasOwn(plans, value);
}
