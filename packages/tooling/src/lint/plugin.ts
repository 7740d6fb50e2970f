import { dig, entriesOf } from '../common/json.ts';
import type { Visit, Visitors } from './redocly.ts';
import { deprecationDates, deprecationSuccessor } from './rules/deprecation.ts';
import { errorCodes, errorExamples, errorForm } from './rules/errors.ts';
import { mediaTypes } from './rules/media-types.ts';
import { methodNames } from './rules/method-names.ts';
import { access, bodylessResponses, idempotency } from './rules/operations.ts';
import { pagination } from './rules/pagination.ts';
import { headerNames, parameters, pathSegments } from './rules/parameters.ts';
import { tuples } from './rules/schemas.ts';
import { security } from './rules/security.ts';

/** The rules that Redocly's assertions in rules.yaml cannot express. Redocly requires a default export. */
export default function plugin() {
  return {
    id: 'contract-first',
    rules: {
      oas3: {
        access,
        'bodyless-responses': bodylessResponses,
        'deprecation-dates': deprecationDates,
        'deprecation-successor': deprecationSuccessor,
        'error-codes': errorCodes,
        'error-examples': errorExamples,
        'error-form': errorForm,
        'header-names': headerNames,
        idempotency,
        'media-types': mediaTypes,
        'method-names': methodNames,
        pagination,
        parameters,
        security,
        'path-segments': pathSegments,
        'plan-quotas': planQuotas,
        'ref-stands-alone': refStandsAlone,
        tuples,
      },
    },
  };
}

/** A plan has quotas, or `custom: true` if each of its keys has its own. */
function planQuotas(): Visitors {
  return onRoot((root, { location, report }) => {
    for (const [name, plan] of entriesOf(dig(root, 'x-rate-limits', 'plans'))) {
      const quotas = ['perMinute', 'perDay'].filter((key) => dig(plan, key) !== undefined);
      if (quotas.length === (dig(plan, 'custom') === undefined ? 2 : 0)) continue;
      const message =
        'A plan has either perMinute and perDay, or "custom: true" and quotas with each of its keys. Write one of these.';
      report({ message, location: location.child(['x-rate-limits', 'plans', name]) });
    }
  });
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

function onRoot(enter: Visit): Visitors {
  return { Root: { enter } };
}
