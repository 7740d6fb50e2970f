import { entriesOf, type Rule } from '../redocly.ts';

/** What may be said beside a reference without changing what it allows. */
const wording = new Set(['$ref', 'description', 'summary', 'title', 'example', 'examples', 'deprecated']);

/** A bound beside a $ref is valid, but the check against the last release does not see it narrowed. */
export const refStandsAlone: Rule = () => ({
  ref(node, { location, report }) {
    const bounds = entriesOf(node).filter(([key]) => !wording.has(key));
    for (const [key] of bounds) {
      const message = `Beside a $ref stands ${key}. Put it into the schema itself, or write allOf with the $ref in it.`;
      report({ message, location: location.child([key]) });
    }
  },
});
