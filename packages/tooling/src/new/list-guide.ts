import { dig } from '../common/json.ts';
import { type ContractDocument, operationsOf, type PlacedOperation } from '../contract/document.ts';
import { listFactsOf } from '../contract/pagination.ts';
import { pagingSentences } from '../docs/operations/paging-words.ts';

/** The guide about lists of a new project, with each way in which its lists continue; undefined if it has none that has pages. */
export function listGuide(document: ContractDocument): string | undefined {
  const lists = operationsOf(document).flatMap((placed) => {
    const words = wordsOf(document, placed);
    return words === undefined ? [] : [{ placed, ...words }];
  });
  if (lists.length === 0) return undefined;
  const kinds = Map.groupBy(lists, ({ kind }) => kind);
  const ways = [...kinds.values()].map(
    ([first]) => `* {{operation.${first?.placed.operation.operationId}}}: ${first?.text}`,
  );
  const simple = lists.find(({ placed }) => placed.parameters.every(({ required }) => required !== true));
  return `# Lists

Lists are split into pages. The page of each operation in the reference says how its list continues.

${simple === undefined ? '' : loop(simple.placed.path)}## Page by page

${ways.join('\n')}
`;
}

function loop(path: string): string {
  return `## All entries

With the client, the loop requests each page when it reaches it, and ends after the last one:

\`\`\`ts
import { CREATE, paginate } from '@NAME/client';

const client = CREATE({ baseUrl: 'http://127.0.0.1:3000BASEPATH', apiKey: process.env.API_KEY ?? '' });
for await (const entry of paginate(client, '${path}')) console.log(entry);
\`\`\`

`;
}

function wordsOf(document: ContractDocument, placed: PlacedOperation): { kind: string; text: string } | undefined {
  const list = listFactsOf(document, placed);
  if (list?.paging !== undefined) return { kind: list.paging.kind, text: pagingSentences(document, placed).join(' ') };
  const hasLink = placed.responses.some(
    ({ status, headers }) => /^2/.test(status) && dig(headers, 'Link') !== undefined,
  );
  if (!list || !hasLink) return undefined;
  return { kind: 'header', text: 'The `Link` header of a page has the URL of the next one. The last page has none.' };
}
