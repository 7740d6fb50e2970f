import { type ContractDocument, needsKeys } from '../contract/document.ts';
import { hasProblems } from '../contract/error-form.ts';
import { agentsGuide } from './agents-guide.ts';
import { listGuide } from './list-guide.ts';

/** The guides of a new project, by the name of their file. Words in capitals are replaced later. */
export const guidesOf = (document: ContractDocument): Readonly<Record<string, string>> => ({
  'first-call': `# Your first call\n\nStart the server with \`npm start\`. It prints ${needsKeys(document) ? 'a key, and ' : ''}a call to try.\n`,
  ...(needsKeys(document) ? { keys: '# Keys\n\nCREDENTIALS\n' } : {}),
  ...(document['x-rate-limits'] === undefined ? {} : { limits: limitsGuide }),
  errors: `# Errors\n\nEvery error is ${errorForm(document)}. Decide by the \`code\`; the wording of the message may change.\n`,
  versions:
    '# Versions\n\nThe API only grows: no field, status or code is removed. Ignore properties that you do not know.\n',
  ...listsGuide(document),
  agents: agentsGuide(document),
});

function errorForm(document: ContractDocument): string {
  return hasProblems(document)
    ? 'a problem (RFC 9457, `application/problem+json`) with a `code`, a `title`, a `detail` and the `status`'
    : 'JSON with a `code`, a `message` and the `status`';
}

function listsGuide(document: ContractDocument): Readonly<Record<string, string>> {
  const lists = listGuide(document);
  return lists === undefined ? {} : { lists };
}

const limitsGuide =
  '# Limits\n\nResponses say how many requests are left, in `X-RateLimit-Remaining`. After a `429`, wait for the time in `Retry-After`.\n';
