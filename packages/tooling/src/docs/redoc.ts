import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runRedocly } from '../common/redocly.ts';
import type { Bundle } from '../effective/bundle.ts';
import { hashSources, headerPolicy, pagePolicy } from './shell/policy.ts';
import type { SiteFile } from './site-file.ts';

export const redocPath = 'reference.html';

/**
 * The whole reference on one page, as `redocly build-docs` makes it with the settings of .redocly.yaml.
 * @throws Error with Redocly's message
 */
export function redocPage({ json }: Pick<Bundle, 'json'>): SiteFile {
  const folder = mkdtempSync(join(tmpdir(), 'redoc-'));
  try {
    const [source, output] = [join(folder, 'openapi.json'), join(folder, redocPath)];
    writeFileSync(source, json);
    const options = ['--config', '.redocly.yaml', '--inlineBundle', '-o', output];
    const { exitCode, stdout, stderr } = runRedocly('build-docs', source, ...options);
    if (exitCode !== 0) throw new Error(`Redocly could not build the reference:\n${stdout}${stderr}`);
    const content = readFileSync(output, 'utf8');
    return { path: redocPath, content, contentSecurityPolicy: headerPolicy(policyOf(content)) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Its scripts and styles are inline, and it adds styles later. It would load a logo from another host, which the policy prevents. */
function policyOf(html: string): string {
  const scripts = [...html.matchAll(/<script\b[^>]*>([\s\S]*?)<\/script>/g)].map(([, text]) => text ?? '');
  return pagePolicy({
    'script-src': hashSources(scripts),
    'style-src-elem': ["'unsafe-inline'"],
    'style-src-attr': ["'unsafe-inline'"],
    'font-src': ['data:'],
    'worker-src': ['blob:'],
  });
}
