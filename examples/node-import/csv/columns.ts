import { contractJson } from '@animal-store/contract/document';
import { ImportError } from '../exit.ts';

type ContractPart = {
  components: { schemas: { NewPet: { required: string[]; properties: Record<string, unknown> } } };
};

/** The contract as JSON. The rules for animals are read from it, so that they are not repeated here. */
export const contract: ContractPart = JSON.parse(contractJson);

/** The schema of an animal to add. */
export const newPetSchema = contract.components.schemas.NewPet;

/** The columns that a file may have: the properties of an animal. */
export const knownColumns: readonly string[] = Object.keys(newPetSchema.properties);

const known = knownColumns.join(', ');

/**
 * The columns in the first line of a file, in order.
 *
 * @throws ImportError if one is missing, unknown or repeated
 */
export function columnsOf(record: readonly string[], file: string): string[] {
  const columns = record.map((name) => name.trim());
  const refuse = (what: string) =>
    new ImportError(
      'notBegun',
      `The first line of ${file} ${what} It must name the columns, separated by commas: ${known}.`,
    );
  const unknown = columns.find((name) => !knownColumns.includes(name));
  if (unknown !== undefined) throw refuse(`has the unknown column ${JSON.stringify(unknown)}.`);
  const twice = columns.find((name, index) => columns.indexOf(name) !== index);
  if (twice !== undefined) throw refuse(`has the column ${twice} twice.`);
  const missing = newPetSchema.required.find((name) => !columns.includes(name));
  if (missing !== undefined) throw refuse(`does not have the column ${missing}.`);
  return columns;
}
