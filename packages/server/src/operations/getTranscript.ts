import type { Call, Result } from './operation.ts';
import { sandboxNotFound, type WithSandbox } from './sandbox.ts';

export async function getTranscript({
  sandbox,
  accept,
}: Call<'getTranscript'> & WithSandbox): Promise<Result<'getTranscript'>> {
  if (sandbox === undefined) return sandboxNotFound();
  if (accept === 'application/json')
    return { status: 200, contentType: accept, body: [...(await sandbox.transcript())] };
  return { status: 200, contentType: accept, body: await sandbox.transcriptAsMarkdown() };
}
