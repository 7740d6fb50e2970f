import { createServer } from 'node:http';
import { expect, test } from '@jest/globals';
import express from 'express';
import { docs } from '../../service/src/pages/docs.ts';
import { findChromium, launchChromium } from '../../testing/src/chromium.ts';
import { leaveOut } from '../../testing/src/left-out.ts';
import { listenOnLoopback } from '../../testing/src/listen.ts';

const executable = findChromium();
if (executable === undefined) leaveOut('docs that are not built', 'install Chromium (apt-get install chromium)');
const inBrowser = executable === undefined ? test.skip : test;

inBrowser('until the docs are built, the page reloads itself, also at the URL with the token', async () => {
  const server = createServer(
    express().use(
      docs('/nonexistent', 'Animal Store', () => ({
        origin: '',
        basePath: '/v1',
        keyPrefix: 'as',
        baseUrl: '',
        mode: 'test',
      })),
    ),
  );
  const { origin, stop } = await listenOnLoopback(server);
  const browser = await launchChromium(executable ?? '');
  try {
    const page = await browser.newPage();
    const url = `${origin}/docs/#token=abc`;
    await page.goto(url);
    await page.waitForEvent('load');
    expect(page.url()).toBe(url);
    await page.getByRole('heading', { name: 'The docs are being built' }).waitFor();
  } finally {
    await browser.close();
    await stop();
  }
});
