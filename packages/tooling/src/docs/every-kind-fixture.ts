import type { ContractDocument } from '../contract/document.ts';
import { secondContract } from '../testing/second-contract.ts';

const noteId = { $ref: '#/components/parameters/NoteId' };
const found = (content: object) => ({ '200': { description: 'Found.', content } });

/** Operations that the second contract lacks: a text response, and a streamed text response. */
const texts = {
  '/notes/{noteId}/title': {
    get: {
      operationId: 'getTitle',
      tags: ['Notes'],
      summary: 'Get the title of a note',
      parameters: [noteId],
      responses: found({ 'text/plain': { schema: { type: 'string' }, example: 'Käthe 1' } }),
    },
  },
  '/export.csv': {
    get: {
      operationId: 'exportTable',
      tags: ['Notes'],
      summary: 'Export as a table',
      responses: found({
        'text/csv': { 'x-stream': true, schema: { type: 'string' }, example: 'id,title\n1,Käthe\n2,Mia\n' },
      }),
    },
  },
};

/** A contract with operations of every kind and a webhook, for tests of the docs. */
export function everyKind(): ContractDocument {
  const second: ContractDocument = JSON.parse(JSON.stringify(secondContract()));
  return { ...second, paths: { ...second.paths, ...JSON.parse(JSON.stringify(texts)) } };
}
