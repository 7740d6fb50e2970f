import { describe, expect, test } from '@jest/globals';
import { newProgress } from './progress.ts';
import { showProgress } from './show.ts';

/** The output while one row is settled, another one is reported, and the import ends. */
function written(output: { isTTY?: boolean; columns?: number }): string {
  let text = '';
  const progress = newProgress(2, 0);
  const shown = showProgress({ ...output, write: (piece) => (text += piece) }, progress, () => 1_000);
  progress.counts.added = 1;
  shown.say('a line');
  progress.counts.added = 2;
  shown.end();
  return text;
}

describe('the progress', () => {
  test('is a bar that is redrawn on a terminal, with other lines above it', () => {
    const frames = written({ isTTY: true, columns: 80 }).split('\r\u001b[K');
    expect(frames).toEqual([
      '',
      '[------------------------]   0 %  0 of 2, starting',
      'a line\n',
      '[############------------]  50 %  1 of 2, about 1 s left',
      '[########################] 100 %  2 of 2, done in 1 s\n',
    ]);
  });

  test('is plain lines elsewhere, with the last one at the end', () => {
    expect(written({})).toBe('  0 %  0 of 2, starting\na line\n100 %  2 of 2, done in 1 s\n');
  });
});
