import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { Results } from '../results.ts';
import { documentFiles, withFigures } from './document.ts';
import { pictureOf } from './picture.ts';

const page = readFileSync(documentFiles.page, 'utf8');
const figures: Results = JSON.parse(readFileSync(documentFiles.figures, 'utf8'));

describe('docs/performance.md', () => {
  it('says what the figures of the recorded run say', () => {
    expect(withFigures(page, figures)).toBe(page);
  });

  it('shows the picture of that run', () => {
    expect(readFileSync(documentFiles.picture, 'utf8')).toBe(pictureOf(figures));
    expect(page).toContain('(performance/requests.svg)');
  });

  it('was made of a whole run', () => {
    expect(page).not.toContain('not measured');
  });
});

describe('withFigures', () => {
  it('leaves what stands around the figures as it is', () => {
    const changed = withFigures(page, { ...figures, at: '2001-02-03T00:00:00.000Z' });
    expect(changed).toContain('2001-02-03');
    const around = (text: string) => text.replaceAll(/<!-- made: .*?<!-- \/made -->/gs, '');
    expect(around(changed)).toBe(around(page));
  });

  it('refuses a page that has no place for them', () => {
    expect(() => withFigures('# Nothing', figures)).toThrow('no place for conditions');
  });
});
