import { expect, test } from '@jest/globals';
import { secondContract } from '../../../test/second-contract-fixture.ts';
import { contractDocument } from '../../contract/generated.ts';
import { accessNote, placedOperations } from '../operations/placed.ts';
import { curlSample } from './curl.ts';
import { javaSample } from './java.ts';
import { pythonSample } from './python.ts';
import { sampleRequests } from './request.ts';

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
  const [request] = sampleRequests(contract).filter(({ id }) => id === 'listNotes');
  if (operation === undefined || request === undefined) throw new Error('The contract has no listNotes.');
  const samples = [curlSample, pythonSample, javaSample].map((sample) => sample(request));
  return { note: accessNote(contract, operation), samples: samples.join('\n') };
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
