import type { NewPet } from '@animal-store/client';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { contract } from './columns.ts';
import type { Row } from './read-rows.ts';

/** The animal that a row describes, or all problems of the row. */
export type Checked = { pet: NewPet; problems?: never } | { pet?: never; problems: string[] };

// `verbose` gives errors access to the contract's description of a pattern. Ajv does not know its extensions and formats.
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

/** Checks a row against the contract, as the API will. A name is used unchanged; other values are trimmed. */
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

/** Leaves a text unchanged if it is not an integer in plain digits, so that the check reports it. */
function integerIn(text: string | undefined): number | string | undefined {
  return text !== undefined && decimalInteger.test(text) ? Number(text) : text;
}

/** Leaves out empty cells. */
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

/** A value that is short enough for a line in a terminal. */
function shown(value: unknown): string {
  const text = String(value);
  const start = [...text].slice(0, SHOWN).join('');
  return JSON.stringify(start === text ? text : `${start}…`);
}
