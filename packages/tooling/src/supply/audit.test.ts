import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import { root } from '../project.ts';
import { type AuditReport, judge, readAllowed, readReport } from './advisories.ts';

const today = new Date('2026-11-22T12:00:00Z');
const shipped = new Set(['qs@6.17.1', 'express@5.3.0']);

const entry = { id: 'GHSA-aaaa-bbbb-cccc', package: 'qs', reason: 'We do not use it.', until: '2026-11-22' };

/** A report of `pnpm audit --json` with one advisory. */
function reportOn(name: string, version: string): AuditReport {
  const advisory = {
    findings: [{ version }],
    title: 'Denial of service',
    module_name: name,
    patched_versions: '>=6.18.0',
    severity: 'high',
    github_advisory_id: 'GHSA-aaaa-bbbb-cccc',
    cves: ['CVE-2026-1234'],
    url: 'https://advisories.example/GHSA-aaaa-bbbb-cccc',
  };
  return { advisories: { 1112: advisory } };
}

describe('a vulnerability of a package in production', () => {
  test('is a problem', () => {
    expect(judge(reportOn('qs', '6.17.1'), shipped, [], today)).toEqual({
      problems: [
        'GHSA-aaaa-bbbb-cccc, CVE-2026-1234 (high) in qs 6.17.1: Denial of service. Fixed in >=6.18.0. https://advisories.example/GHSA-aaaa-bbbb-cccc',
      ],
      notes: [],
    });
  });

  test.each(['GHSA-aaaa-bbbb-cccc', 'CVE-2026-1234'])('is a note if an entry allows %s until today', (id) => {
    const { problems, notes } = judge(reportOn('qs', '6.17.1'), shipped, [{ ...entry, id }], today);
    expect(problems).toEqual([]);
    expect(notes).toEqual([expect.stringMatching(/^Allowed until 2026-11-22: .* We do not use it\.$/)]);
  });

  test('is a problem again on the day after the entry ends', () => {
    const { problems } = judge(reportOn('qs', '6.17.1'), shipped, [{ ...entry, until: '2026-11-21' }], today);
    expect(problems).toEqual([expect.stringMatching(/^GHSA-.* It was allowed until 2026-11-21\.$/)]);
  });

  test.each([{ package: 'express' }, { id: 'CVE-2026-1235' }])(
    'is not allowed by an entry with another %j',
    (other) => {
      const { problems, notes } = judge(reportOn('qs', '6.17.1'), shipped, [{ ...entry, ...other }], today);
      expect(problems).toEqual([expect.stringContaining('in qs 6.17.1')]);
      expect(notes).toEqual([expect.stringContaining('was not reported')]);
    },
  );
});

test.each([
  ['jest', '6.17.1'],
  ['qs', '6.0.0'],
])('%s %s, which no release contains, is a note', (name, version) => {
  expect(judge(reportOn(name, version), shipped, [], today)).toEqual({
    problems: [],
    notes: [
      expect.stringContaining(`Development only: GHSA-aaaa-bbbb-cccc, CVE-2026-1234 (high) in ${name} ${version}`),
    ],
  });
});

test('an expired entry is a problem, even if the vulnerability is not reported any more', () => {
  expect(judge({ advisories: {} }, shipped, [{ ...entry, until: '2026-11-21' }], today)).toEqual({
    problems: [
      'advisories.yaml: GHSA-aaaa-bbbb-cccc was not reported for qs. Remove the entry if it is fixed. It ended on 2026-11-21.',
    ],
    notes: [],
  });
});

describe('advisories.yaml', () => {
  test('of the project is valid', () => {
    const yaml = readFileSync(join(root, 'packages/tooling/src/supply/advisories.yaml'), 'utf8');
    expect(() => readAllowed(yaml, new Date())).not.toThrow();
  });

  test('has an ID, a package, a reason and an end in each entry', () => {
    expect(readAllowed(JSON.stringify([entry]), today)).toEqual([entry]);
    expect(() => readAllowed('- id: 1112', today)).toThrow(`advisories.yaml: 1112 needs the ID of a GHSA or a CVE.
advisories.yaml: 1112 needs a package.
advisories.yaml: 1112 needs a reason.
advisories.yaml: 1112 needs the day on which it ends, such as 2027-03-31.`);
  });

  test.each(['[]', '# No entries.', ''])('may be %j, without an entry', (yaml) => {
    expect(readAllowed(yaml, today)).toEqual([]);
  });

  test.each([
    ['2027-05-22', 'ends after 2027-05-21'],
    ['2026-02-30', 'needs the day'],
    ['2026-13-01', 'advisories.yaml: GHSA-aaaa-bbbb-cccc needs the day'],
    ['soon', 'needs the day'],
  ])('refuses an entry until %s', (until, message) => {
    expect(() => readAllowed(JSON.stringify([{ ...entry, until }]), today)).toThrow(message);
  });
});

test.each(['', 'null', '[]', '{"error":{"code":"ERR_PNPM_AUDIT_BAD_RESPONSE"}}', '<html>'])(
  '%j is not a report',
  (output) => {
    expect(readReport(output)).toBeUndefined();
  },
);

describe('npm run advisories', () => {
  /**
   * A registry whose advisory database knows these vulnerabilities; without them, it has no database. Its first `failures`
   * responses are 503.
   */
  async function startRegistry(advisories?: Record<string, unknown[]>, failures = 0) {
    let requests = 0;
    const registry = createServer((request, response) => {
      requests += 1;
      if (requests <= failures) {
        response.writeHead(503).end();
        return;
      }
      const isKnown = advisories !== undefined && request.url?.endsWith('/security/advisories/bulk') === true;
      response.writeHead(isKnown ? 200 : 405, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(isKnown ? advisories : {}));
    });
    await once(registry.listen(0, '127.0.0.1'), 'listening');
    const address = registry.address();
    return {
      url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`,
      [Symbol.asyncDispose]: async () => {
        registry.closeAllConnections();
        await once(registry.close(), 'close');
      },
    };
  }

  async function run(registry: { url: string }, ...options: string[]) {
    const child = spawn(process.execPath, ['packages/tooling/src/supply/audit.ts', ...options], {
      cwd: root,
      env: {
        ...process.env,
        PNPM_CONFIG_REGISTRY: registry.url,
        PNPM_CONFIG_FETCH_RETRY_MINTIMEOUT: '10',
        PNPM_CONFIG_FETCH_RETRY_MAXTIMEOUT: '10',
      },
    });
    const exit = once(child, 'exit');
    const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
    return { status, stdout, stderr };
  }

  function advisoryOn(id: string) {
    const url = `https://advisories.example/${id}`;
    return { id: 1, url, title: 'A flaw', severity: 'low', vulnerable_versions: '*', cwe: [], cvss: { score: 3 } };
  }

  test('fails on a vulnerability of the server, and prints one of a development tool', async () => {
    await using registry = await startRegistry({
      'js-yaml': [advisoryOn('GHSA-aaaa-aaaa-aaaa')],
      'openapi-fetch': [{ ...advisoryOn('GHSA-bbbb-bbbb-bbbb'), id: 2 }],
      jest: [{ ...advisoryOn('GHSA-cccc-cccc-cccc'), id: 3 }],
    });
    const { status, stdout, stderr } = await run(registry);
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^GHSA-aaaa-aaaa-aaaa \(low\) in js-yaml 4\.\S+: A flaw\..*\nGHSA-bbbb-bbbb-bbbb .*openapi-fetch/,
    );
    expect(stderr).not.toContain('jest');
    expect(stdout).toContain('Development only: GHSA-cccc-cccc-cccc (low) in jest');
  });

  test('passes if the database knows no vulnerability', async () => {
    await using registry = await startRegistry({});
    expect(await run(registry, '--required')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^No known vulnerability reaches production \(1\d\d packages\)\.\n$/),
    });
  });

  test('tries again after an error only if an answer is required', async () => {
    await using first = await startRegistry({}, 1);
    expect(await run(first)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Advisories were not checked:\n.*503/s),
    });
    await using second = await startRegistry({}, 1);
    expect(await run(second, '--required')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('No known vulnerability reaches production'),
    });
  });

  test('prints why nothing was checked, and fails only if an answer is required', async () => {
    await using registry = await startRegistry();
    const stdout = expect.stringMatching(/^Advisories were not checked:\n.*405/s);
    expect(await run(registry)).toMatchObject({ status: 0, stdout });
    expect(await run(registry, '--required')).toMatchObject({ status: 1, stdout });
  });
});
