import { dig, entriesOf, type Rule } from './redocly.ts';
import { deprecationDates, deprecationDescription, deprecationSuccessor } from './rules/deprecation.ts';
import { errorCodes, errorExamples } from './rules/errors.ts';

/** The rules that Redocly's assertions in rules.yaml cannot express. Redocly requires a default export. */
export default function plugin() {
  return {
    id: 'animal-store',
    rules: {
      oas3: {
        'deprecation-dates': deprecationDates,
        'deprecation-description': deprecationDescription,
        'deprecation-successor': deprecationSuccessor,
        'error-codes': errorCodes,
        'error-examples': errorExamples,
        'rate-limit-order': rateLimitOrder,
        'ref-stands-alone': refStandsAlone,
      },
    },
  };
}

/** No quota per minute is larger than the one per day, and no first ban longer than the longest. */
function rateLimitOrder(): ReturnType<Rule> {
  return {
    Root: {
      enter(root, { location, report }) {
        const limits = dig(root, 'x-rate-limits');
        const quotas = [...entriesOf(dig(limits, 'plans')).map(([name]) => ['plans', name]), ['anonymous']];
        const pairs = [
          ...quotas.map((path) => ({ path, small: 'perMinute', large: 'perDay' })),
          { path: ['ban'], small: 'firstSeconds', large: 'maximumSeconds' },
        ];
        for (const { path, small, large } of pairs) {
          const [less, more] = [dig(limits, ...path, small), dig(limits, ...path, large)];
          if (typeof less !== 'number' || typeof more !== 'number' || less <= more) continue;
          const message = `${small} (${less}) is larger than ${large} (${more}). Lower the one or raise the other.`;
          report({ message, location: location.child(['x-rate-limits', ...path, small]) });
        }
      },
    },
  };
}

/** What may be written beside a reference without changing what it allows. */
const wording = new Set(['$ref', 'description', 'summary', 'title', 'example', 'examples', 'deprecated']);

/** A bound beside a $ref is valid, but `redocly diff` does not notice when it is narrowed. */
function refStandsAlone(): ReturnType<Rule> {
  return {
    ref(node, { location, report }) {
      const bounds = entriesOf(node).filter(([key]) => !wording.has(key));
      for (const [key] of bounds) {
        const message = `${key} is beside a $ref. Move it into the schema itself, or write allOf with the $ref in it.`;
        report({ message, location: location.child([key]) });
      }
    },
  };
}
