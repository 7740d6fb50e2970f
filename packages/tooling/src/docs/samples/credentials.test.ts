import { expect, test } from '@jest/globals';
import { secondContract } from '../../../test/second-contract-fixture.ts';
import { contractDocument } from '../../contract/generated.ts';
import { accessNote, placedOperations } from '../operations/placed.ts';
import { samplesOf } from './languages.ts';

const schemes = {
  oauth: { type: 'oauth2', flows: {} },
  partner: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
};

/** The texts about the operation `listNotes` if it asks for this. */
function textsOf(security: Record<string, string[]>[]) {
  const document = { ...secondContract(), security };
  const { components } = document;
  const contract = { ...document, components: { ...components, securitySchemes: schemes } };
  const [operation] = placedOperations(contract).filter(({ operationId }) => operationId === 'listNotes');
  if (operation === undefined) throw new Error('The contract has no listNotes.');
  // The client always sends its key.
  const samples = samplesOf(contract)
    .get('listNotes')
    ?.filter(({ lang }) => lang !== 'typescript');
  return { note: accessNote(contract, operation), samples: samples?.map(({ source }) => source).join('\n') };
}

test.each<[security: Record<string, string[]>[], note: string, sent: RegExp[]]>([
  [
    [{ oauth: ['notes:read', 'notes'] }],
    'Requires `Authorization: Bearer <TOKEN>` with the scope `notes:read` and `notes`.',
    [/-H "Authorization: Bearer \$\{\w+_KEY:-\w+\}"/],
  ],
  [
    [{ partner: [] }],
    'Requires `X-Api-Key: <API_KEY>`.',
    [/-H "X-Api-Key: \$\{\w+_KEY:-\w+\}"/, /"X-Api-Key": key,/, /\.header\("X-Api-Key", key\)/],
  ],
  [[{}, { partner: [] }], '**Public.** Also takes `X-Api-Key: <API_KEY>`.', []],
])('the docs of an operation that asks for %j say what to send', (security, note, sent) => {
  const texts = textsOf(security);
  expect(texts.note).toContain(note);
  for (const pattern of sent) expect(texts.samples).toMatch(pattern);
  if (sent.length === 0) expect(texts.samples).not.toMatch(/_KEY/);
});

test('the docs of the contract of this project speak of its keys', () => {
  const contract = contractDocument();
  const notes = placedOperations(contract).map((operation) => accessNote(contract, operation));
  expect(new Set(notes)).toEqual(
    new Set(['Requires an API key with the `read` or `write` scope.', 'Requires an API key with the `write` scope.']),
  );
});
