import type { PetStatus } from '@animal-store/contract';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Length, Matches, Max, Min } from 'class-validator';
import { rules } from '../shared/rules.ts';
import { decorateProperties } from './decorate.ts';

/** What the operations take, as classes whose rules stand on their properties. */
export class ListQuery {
  limit: number = rules.limit.default;
  status?: PetStatus;
  cursor?: string;
}

export class PetPath {
  petId = 0;
}

export class NewPetBody {
  name = '';
  categoryId = Number.NaN;
  status?: PetStatus;
}

const status = [IsOptional(), IsIn(rules.statuses)];
const text = ({ minLength, maxLength, pattern }: typeof rules.name) => [
  IsString(),
  Length(minLength, maxLength),
  Matches(pattern),
];
const integer = ({ minimum, maximum }: typeof rules.petId) => [IsInt(), Min(minimum), Max(maximum)];

decorateProperties(ListQuery, {
  limit: [Type(() => Number), ...integer(rules.limit)],
  status,
  cursor: [IsOptional(), ...text(rules.cursor)],
});
decorateProperties(PetPath, { petId: [Type(() => Number), ...integer(rules.petId)] });
decorateProperties(NewPetBody, { name: text(rules.name), categoryId: integer(rules.categoryId), status });
