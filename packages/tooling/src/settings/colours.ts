/** Red, green and blue, from 0 to 255. */
type Colour = readonly [number, number, number];

/** The least contrast of text by WCAG 2.2, level AA. */
export const LEAST_CONTRAST = 4.5;

/** The background of the docs on which text has the least contrast, light and dark. They are in docs/style/colours.css. */
export const backgrounds = { light: '#f5f7f6', dark: '#161e1b' } as const;

const white = '#ffffff';
const black = '#000000';

/** The contrast of two colours such as `#0b6b4d`, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [high = 0, low = 0] = [one, other].map(luminance).sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

/** The colours of links and buttons, and a lighter one for a dark background if there is none. */
export function accents(light: string, given: string | undefined): Record<'light' | 'dark', Record<string, string>> {
  const dark = given ?? until(light, white, backgrounds.dark, 7);
  const softLight = mixed(light, white, 0.9);
  const softDark = mixed(dark, black, 0.8);
  return {
    light: named(light, until(mixed(light, black, 0.15), black, softLight, LEAST_CONTRAST), softLight),
    dark: named(dark, until(mixed(dark, white, 0.3), white, softDark, LEAST_CONTRAST), softDark),
  };
}

function named(accent: string, strong: string, soft: string): Record<string, string> {
  return { '--site-accent': accent, '--site-accent-strong': strong, '--site-accent-soft': soft };
}

/** The colour, mixed with another one until it has a contrast on a background. */
function until(colour: string, other: string, background: string, least: number): string {
  for (let share = 0; share < 1; share += 0.05) {
    const next = mixed(colour, other, share);
    if (contrast(next, background) >= least) return next;
  }
  return other;
}

/** @param share how much of the other colour, from 0 to 1 */
function mixed(colour: string, other: string, share: number): string {
  const to = parse(other);
  const parts = parse(colour).map((part, index) => Math.round(part * (1 - share) + (to[index] ?? 0) * share));
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

function luminance(colour: string): number {
  const [red, green, blue] = parse(colour).map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
}

function parse(colour: string): Colour {
  const at = (start: number) => Number.parseInt(colour.slice(start, start + 2), 16);
  return [at(1), at(3), at(5)];
}
