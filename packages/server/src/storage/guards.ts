import { enumerations, type OrderStatus, type PetStatus, type Plan, plans } from '@animal-store/contract';

export function isPetStatus(value: unknown): value is PetStatus {
  return isOneOf(enumerations.PetStatus, value);
}

export function isOrderStatus(value: unknown): value is OrderStatus {
  return isOneOf(enumerations.OrderStatus, value);
}

export function isPlan(value: unknown): value is Plan {
  return typeof value === 'string' && Object.hasOwn(plans, value);
}

function isOneOf(values: readonly string[], value: unknown): boolean {
  return typeof value === 'string' && values.includes(value);
}
