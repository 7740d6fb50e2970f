import type { NewPet } from '@animal-store/client';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { contract } from './contract.ts';
import type { Row } from './read-rows.ts';

/** A row as the animal that it says, or all that is wrong with it. */
export type Checked = { pet: NewPet; problems?: never } | { pet?: never; problems: string[] };

// `verbose` brings the words of the contract for a pattern; its extensions and formats are no business of Ajv.
const ajv = new Ajv2020({
  strict: false,
  validateFormats: false,
  validateSchema: false,
  allErrors: true,
  verbose: true,
});
ajv.addSchema({ $id: 'contract', ...contract });
const isNewPet = ajv.compile<NewPet>({ $ref: 'contract#/components/schemas/NewPet' });

const decimalInteger = /^(0|-?[1-9][0-9]*)$/;

/** Holds a row against the contract, as the API will. A name is taken as it stands; blanks around the others are not. */
export function checkRow({ values, surplus }: Row): Checked {
  if (surplus > 0) {
    const what =
      surplus === 1 ? '1 more value than there are columns' : `${surplus} more values than there are columns`;
    return { problems: [`has ${what}; put values that contain commas in "quotes"`] };
  }
  const pet: unknown = withoutEmpty({
    name: values['name'],
    categoryId: integerIn(values['categoryId']?.trim()),
    status: values['status']?.trim(),
  });
  if (isNewPet(pet)) return { pet };
  return { problems: (isNewPet.errors ?? []).map(inWords) };
}

/** Left as text where it is no integer in plain digits, so that the check names it. */
function integerIn(text: string | undefined): number | string | undefined {
  return text !== undefined && decimalInteger.test(text) ? Number(text) : text;
}

/** An empty cell says nothing. */
function withoutEmpty(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== ''));
}

function inWords({ instancePath, keyword, message = 'is invalid', params, parentSchema, data }: ErrorObject): string {
  const property = instancePath.slice(1);
  if (keyword === 'required') return `${params['missingProperty']} is required`;
  if (keyword === 'enum') return `${property} must be one of ${params['allowedValues'].join(', ')}, not ${shown(data)}`;
  if (keyword === 'pattern') return `${property} ${parentSchema?.['x-pattern-says'] ?? message}`;
  if (keyword === 'type') return `${property} ${message}, not ${shown(data)}`;
  return `${property} ${message}`;
}

const SHOWN = 40;

/** A value as it can be shown in a line of a terminal. */
function shown(value: unknown): string {
  const text = String(value);
  const start = [...text].slice(0, SHOWN).join('');
  return JSON.stringify(start === text ? text : `${start}…`);
}
