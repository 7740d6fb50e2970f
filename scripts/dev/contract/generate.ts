import { relative } from 'node:path';
import { writeSite } from '../../docs/delivery/write-site.ts';
import { buildSite } from '../../docs/site.ts';
import { type Bundle, bundleContract, UnreadableContractError } from '../../generate/bundle.ts';
import { generatedFiles } from '../../generate/files.ts';
import { root } from '../../root.ts';
import { writeChanged } from '../../write-changed.ts';
import type { Report } from './result.ts';

/** Makes the generated files, then the docs; writes what changed. A contract that cannot be read changes nothing. */
export async function generate(report: Report): Promise<void> {
  const bundle = readContract();
  if (bundle === undefined) {
    // Lint says what is wrong, and where.
    return report({ kind: 'failed', what: 'types', reason: 'openapi.yaml cannot be read' });
  }
  const files = await generatedFiles(bundle);
  const written = [...files].filter(([file, text]) => writeChanged(file, text)).map(([file]) => relative(root, file));
  report({ kind: 'types', written });
  await makeDocs(bundle, report);
}

/** A mistake in a guide leaves the docs as they were, and is told with its file and line. */
async function makeDocs(bundle: Bundle, report: Report): Promise<void> {
  try {
    const { written, removed } = await writeSite(await buildSite(bundle));
    report({ kind: 'docs', isNew: written.length + removed.length > 0 });
  } catch (error) {
    report({ kind: 'failed', what: 'docs', reason: error instanceof Error ? error.message : String(error) });
  }
}

function readContract(): Bundle | undefined {
  try {
    return bundleContract();
  } catch (error) {
    if (error instanceof UnreadableContractError) return undefined;
    throw error;
  }
}
