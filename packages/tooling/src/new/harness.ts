import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isKeyScheme } from '@contract-first/service/manifest';
import { type ContractDocument, type Plan, rateLimitsOf } from '../contract/document.ts';
import { schemesOf } from '../contract/security.ts';
import { root } from '../project.ts';
import { literal } from './literal.ts';

const folder = join(root, 'packages/server/test');
const harness = join(folder, 'harness.ts');
const common = join(folder, 'common-responses.ts');

/** What the tests import, besides the packages of the service. */
const libraries = ['@contract-first/testing', 'jest', '@jest/globals', '@swc/core', '@swc/jest', 'pino'];

/**
 * The files that the tests of operations share, if the project has none yet: they start the service, and test the responses that
 * follow from the contract.
 *
 * @throws Error if the project has one of the two files
 */
export function missingHarness(document: ContractDocument): [file: string, text: string][] {
  const missing = [harness, common].filter((file) => !existsSync(file));
  if (missing.length === 0) return [];
  if (missing.length === 1) {
    throw new Error(
      `${missing[0]} is missing, which tests of operations import. Restore it, or remove the other file of the two and run this command again. Nothing was written.`,
    );
  }
  return harnessFiles(document).map(([name, text]) => [join(folder, name), text]);
}

/** The files by their name in the folder of the server's tests. */
export function harnessFiles(document: ContractDocument): [name: string, text: string][] {
  const { plans } = rateLimitsOf(document);
  if (Object.keys(plans).length === 0)
    return [
      ['harness.ts', harnessFile(undefined, needsFunctions(document))],
      ['common-responses.ts', commonFile(undefined)],
    ];
  return [
    ['harness.ts', harnessFile(largestPlan(plans).name, needsFunctions(document))],
    ['common-responses.ts', commonFile(limitedKey(plans))],
  ];
}

/** The packages that a project has to install before its tests can run. */
export function missingLibraries(): string[] {
  const folders = [root, join(root, 'packages/server')];
  return libraries.filter((name) => !folders.some((one) => existsSync(join(one, 'node_modules', name))));
}

type Plans = Record<string, Plan>;

/** The plans with limits of their own, the smallest first. */
function limitedPlans(plans: Plans): { name: string; perMinute: number }[] {
  return Object.entries(plans)
    .flatMap(([name, plan]) => ('perMinute' in plan ? [{ name, perMinute: plan.perMinute }] : []))
    .sort((one, other) => one.perMinute - other.perMinute);
}

function largestPlan(plans: Plans) {
  const plan = limitedPlans(plans).at(-1);
  if (plan === undefined)
    throw new Error('x-rate-limits in openapi.yaml has no plan with perMinute, which tests need.');
  return plan;
}

/** A key that allows as few requests as possible: one in a plan without its own limits. */
function limitedKey(plans: Plans): object {
  const [custom] = Object.entries(plans).find(([, plan]) => 'custom' in plan) ?? [];
  if (custom !== undefined) return { key: { plan: custom, perMinute: 1, perDay: 1 }, perMinute: 1 };
  const [{ name, perMinute } = largestPlan(plans)] = limitedPlans(plans);
  return { key: { plan: name }, perMinute };
}

/** Whether the keys of the service cannot serve one of the security schemes. */
function needsFunctions(document: ContractDocument): boolean {
  return Object.values(schemesOf(document)).some((scheme) => !isKeyScheme(scheme));
}

function harnessFile(plan: string | undefined, hasFunctions: boolean): string {
  const verify = 'verify: Object.fromEntries(Object.keys(api.verify).map((name) => [name, keysInTestMode]))';
  return `${hasFunctions ? "import { keysInTestMode } from '@contract-first/service';\n" : ''}import { readConfig } from '@contract-first/service/config';
import { startServer } from '@contract-first/service/start';
import * as testing from '@contract-first/testing/service/harness';
import { pino } from 'pino';
import { api } from '../src/operations/api.ts';

export type CallParts = testing.CallParts;
export type OperationId = keyof typeof api.contract.operations;
export type TestServer = testing.TestServer<OperationId>;
type Parts = Parameters<typeof startServer>[0];
export type Operations = NonNullable<Parts['operations']>;

/** What the calls of tests need of this API. */
export const apiFacts: testing.ApiFacts<OperationId> = {
  operations: api.contract.operations,
  securitySchemes: api.contract.securitySchemes,
  basePath: api.contract.basePath,
${plan === undefined ? '' : `  plan: '${plan}',\n`}};

/** Starts the real server on a free port, with a new SQLite database. */
export async function startTestServer(parts: Pick<Parts, 'operations' | 'timeouts'> = {}): Promise<TestServer> {
  const { server } = await testing.startForTest(apiFacts, ({ databaseUrl, clock, write }) =>
    startServer({
      ${
        hasFunctions
          ? `// Tests of operations send keys, whatever the functions accept.
      service: { ...api, ${verify} }`
          : 'service: api'
      },
      config: readConfig({ NODE_ENV: 'test', PORT: '0', DATABASE_URL: databaseUrl }),
      log: pino({ level: 'info' }, { write }),
      clock,
      ...parts,
      // Connections of \`fetch\` are idle after a test, so a stop need not wait for a last request on them.
      timeouts: { lastRequest: 0, ...parts.timeouts },
    }),
  );
  return server;
}
`;
}

function commonFile(limited: object | undefined): string {
  return `import { type CommonSetup, describeCommonResponses as describeAll, type Requests } from '@contract-first/testing/service/common-responses';
import { api } from '../src/operations/api.ts';
import { apiFacts, type CallParts, type OperationId, type Operations, startTestServer, type TestServer } from './harness.ts';

const operations: Operations = api.operations;

const setup: CommonSetup<OperationId, TestServer> = {
  api: apiFacts,
  anonymousLimits: api.contract.anonymousLimits,
  limited: ${literal(limited, 2)},
  startWith: async (id, before) => {
    const operation = operations[id];
    if (operation === undefined) throw new Error(\`\${id} has no implementation.\`);
    const preceded: typeof operation = async (call) => {
      await before();
      return operation(call);
    };
    return startTestServer({ operations: { ...operations, [id]: preceded } });
  },
  startImpatient: () => startTestServer({ timeouts: { headers: 200, request: 300 } }),
};

/**
 * Tests the responses that follow from the contract alone: keys, quotas, faults, bodies and Idempotency-Keys.
 *
 * @param valid a request that is valid by contract; it need not succeed
 * @param requests for an operation with an Idempotency-Key: a request that succeeds, and another one
 */
export function describeCommonResponses(id: OperationId, valid: CallParts, requests?: Requests<TestServer>): void {
  describeAll(setup, id, valid, requests);
}
`;
}
