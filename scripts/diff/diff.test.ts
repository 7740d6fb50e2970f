import { beforeAll, describe, expect, test } from '@jest/globals';
import { contractsWith, inGroups, namedLine, type PlantedBreak, type Written } from './cases/case.ts';
import { brokenPromises } from './cases/promises.ts';
import { brokenReplies } from './cases/replies.ts';
import { brokenRequests } from './cases/requests.ts';
import { checkContract } from './check.ts';

const planted = [...brokenRequests, ...brokenReplies, ...brokenPromises];
const today = new Date('2026-11-20T12:00:00Z');

type Checked = { contracts: { released: Written; current: Written }; problems: string[] };

const checked = new Map<PlantedBreak, Checked>();

beforeAll(async () => {
  const checks = inGroups(planted).map(async (group) => {
    const contracts = contractsWith(group.flatMap(({ edits }) => edits));
    const { problems } = await checkContract(contracts, [], today);
    for (const broken of group) checked.set(broken, { contracts, problems });
  });
  await Promise.all(checks);
}, 120_000);

describe('a breaking change of a stable operation fails, with a line that says what and where', () => {
  test.each(planted)('$when', (broken) => {
    const result = checked.get(broken);
    const failures = result?.problems.filter((problem) => problem.includes(`: ${broken.says} `)) ?? [];
    expect({ failures, problems: result?.problems }).toMatchObject({ failures: [expect.any(String)] });
    const [failure = ''] = failures;
    expect(failure).toMatch(/^(openapi\.yaml|releases\/openapi-1\.0\.0\.yaml):\d+: /);
    expect(result === undefined ? '' : namedLine(result.contracts, failure)).toBe(broken.line);
  });
});
