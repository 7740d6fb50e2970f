import { deprecationDates } from './rules/deprecation-dates.ts';
import { deprecationDescription } from './rules/deprecation-description.ts';
import { deprecationSuccessor } from './rules/deprecation-successor.ts';
import { errorCodes } from './rules/error-codes.ts';
import { errorExamples } from './rules/error-examples.ts';
import { rateLimitOrder } from './rules/rate-limit-order.ts';
import { refStandsAlone } from './rules/ref-stands-alone.ts';

/** The rules that Redocly's assertions in .redocly.yaml cannot express. Redocly asks for a default export. */
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
