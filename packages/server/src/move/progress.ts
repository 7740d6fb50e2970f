import type { OnProgress } from './move.ts';

const WIDTH = 30;

/** Where progress is shown: a terminal has one line that changes, a file gets a line for each tenth. */
export type Screen = { isTTY?: boolean | undefined; write: (text: string) => unknown };

/** A bar for each table. */
export function progressBar(screen: Screen): OnProgress {
  let shown = '';
  return (table, moved, total) => {
    const share = total === 0 ? 1 : moved / total;
    const full = Math.floor(share * WIDTH);
    const bar = `${'█'.repeat(full)}${'░'.repeat(WIDTH - full)}`;
    const percent = `${Math.floor(share * 100)}`.padStart(3);
    const counts = `${moved.toLocaleString('en')} of ${total.toLocaleString('en')}`;
    if (screen.isTTY === true) {
      screen.write(`\r${table.padEnd(13)}${bar} ${percent} %  ${counts}${moved === total ? '\n' : ''}`);
      return;
    }
    const step = `${table} ${Math.floor(share * 10)}`;
    if (step === shown) return;
    shown = step;
    screen.write(`${table}: ${percent.trim()} %, ${counts}\n`);
  };
}
