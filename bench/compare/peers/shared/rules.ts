import type { PetStatus } from '@animal-store/contract';
import { enumerations } from '@animal-store/contract';
import { type Schema, schemas } from './schemas.ts';

/** The bounds of the contract, for peers whose validation is written in code. */
export const rules = {
  limit: {
    ...range(property(schemas.listQuery, 'limit')),
    default: Number(property(schemas.listQuery, 'limit').default),
  },
  cursor: text(property(schemas.listQuery, 'cursor')),
  petId: range(property(schemas.petPath, 'petId')),
  name: text(property(schemas.newPet, 'name')),
  categoryId: range(property(schemas.newPet, 'categoryId')),
  statuses: enumerations.PetStatus,
};

/** An integer in plain digits, as a query or a path says it. */
export const plainDigits = /^-?(0|[1-9][0-9]*)$/;

export function isStatus(value: unknown): value is PetStatus {
  return rules.statuses.some((status) => status === value);
}

function property(schema: Schema, name: string): Schema {
  const found = schema.properties?.[name];
  if (found === undefined) throw new Error(`The contract has no ${name}.`);
  return found;
}

function range({ minimum = Number.NaN, maximum = Number.NaN }: Schema) {
  return { minimum, maximum };
}

function text({ minLength = Number.NaN, maxLength = Number.NaN, pattern = '' }: Schema) {
  return { minLength, maxLength, pattern: new RegExp(pattern, 'u') };
}
