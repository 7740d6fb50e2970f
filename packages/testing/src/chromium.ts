import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

export type { Browser, BrowserContext, Page } from 'playwright-core';

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** The path of Chromium or Chrome: the value of CHROMIUM, or one of the usual paths. Undefined if there is none. */
export function findChromium(): string | undefined {
  const chosen = process.env['CHROMIUM'];
  return (chosen === undefined ? places : [chosen]).find((place) => existsSync(place));
}

/** Starts a headless browser that makes no requests by itself and resolves no hosts except 127.0.0.1. */
export function launchChromium(executablePath: string): Promise<Browser> {
  const args = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  ];
  // The limit only ends a start that hangs; a busy machine may be many times slower than a quiet one.
  return chromium.launch({ executablePath, args, timeout: 120_000 });
}
