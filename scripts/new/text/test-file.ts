import type { OperationFacts } from '../contract/facts.ts';
import { otherRequest, validRequest } from '../contract/requests.ts';
import { statusBlocks } from './status-blocks.ts';

/** The test of an operation: one describe per status of its own, and the common replies. It fails until it is written. */
export function testFile(operation: OperationFacts): string {
  const { id, isIdempotent } = operation;
  const blocks = statusBlocks(operation);
  const hasRequestType = blocks.some((block) => block.includes('CallParts'));
  const requests = `, async () => ({ first: valid, other: ${JSON.stringify(otherRequest(operation))} })`;
  return `import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeCommonReplies } from '../../test/common-replies.ts';
import { ${hasRequestType ? 'type CallParts, ' : ''}startTestServer, type TestServer } from '../../test/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const valid = ${JSON.stringify(validRequest(operation))};

${blocks.join('\n')}
describeCommonReplies('${id}', valid${isIdempotent ? requests : ''});
`;
}
