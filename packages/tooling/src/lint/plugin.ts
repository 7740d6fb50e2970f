import { dig, entriesOf } from '../common/json.ts';
import { patternProblem } from '../contract/patterns.ts';
import type { Visitors } from './redocly.ts';
import { errorCodes, errorForm } from './rules/errors.ts';
import { mediaTypes } from './rules/media-types.ts';
import { deprecationSuccessor, idempotency } from './rules/operations.ts';
import { pagination } from './rules/pagination.ts';
import { headerNames, parameters, pathSegments } from './rules/parameters.ts';
import { security } from './rules/security.ts';

/** The rules that Redocly's assertions in rules.yaml cannot express. Redocly requires a default export. */
export default function plugin() {
  return {
    id: 'contract-first',
    rules: {
      oas3: {
        'deprecation-successor': deprecationSuccessor,
        'error-codes': errorCodes,
        'error-form': errorForm,
        'header-names': headerNames,
        idempotency,
        'media-types': mediaTypes,
        pagination,
        parameters,
        patterns,
        security,
        'path-segments': pathSegments,
        'ref-stands-alone': refStandsAlone,
      },
    },
  };
}

/** The server, the client and the forms can check each pattern. */
function patterns(): Visitors {
  return {
    Schema(schema, { location, report }) {
      const message = patternProblem(String(dig(schema, 'pattern') ?? ''));
      if (message === undefined) return;
      report({ message: `The server cannot check this schema: ${message}.`, location: location.child(['pattern']) });
    },
  };
}

/** Keywords that may be next to a reference because they do not change which values are allowed. */
const wording = new Set(['$ref', 'description', 'summary', 'title', 'example', 'examples', 'deprecated']);

/** A bound next to a $ref is valid, but `redocly diff` does not notice if it is narrowed. */
function refStandsAlone(): Visitors {
  return {
    ref(node, { location, report }) {
      for (const [key] of entriesOf(node).filter(([key]) => !wording.has(key))) {
        const message = `${key} is next to a $ref. Move it into the schema itself, or write allOf with the $ref in it.`;
        report({ message, location: location.child([key]) });
      }
    },
  };
}
