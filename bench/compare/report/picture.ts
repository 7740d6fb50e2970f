import { type Spread, spreadOf } from '../../figures/statistics.ts';
import type { Results } from '../results.ts';
import { ours, type ServerName, serverNames } from '../subjects/servers.ts';
import { type WorkName, workNames, works } from '../subjects/works.ts';
import { ratiosAgainst } from './verdict.ts';

/** What the others are compared with; its bars have the length 1. */
const BASE = 'Fastify' satisfies ServerName;

const width = 880;
const left = 190;
const right = 130;
const bar = 16;
const step = 22;
const heading = 44;
const top = 34;

type Bar = { server: ServerName; ratio: Spread; rate: number };
type Block = { work: WorkName; bars: Bar[] };

/** Readable on light and on dark pages. The colours of an image cannot be told by the page around it. */
const style = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328; }
  .work { font-weight: 600; }
  .small { font-size: 11px; fill: #59636e; }
  .peer { fill: #9aa4b0; }
  .ours { fill: #0969da; }
  .line { stroke: #1f2328; stroke-width: 1.5; }
  .base { stroke: #59636e; stroke-dasharray: 3 3; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .small { fill: #9198a1; }
    .peer { fill: #59636e; }
    .ours { fill: #4493f8; }
    .line { stroke: #f0f6fc; }
    .base { stroke: #9198a1; }
  }`;

/** Requests a second of every server beside those of Fastify, work by work, as SVG. */
export function pictureOf(results: Results): string {
  const blocks = workNames.filter((work) => works[work].group !== 'refusals').flatMap((work) => blockOf(results, work));
  const longest = Math.max(1, ...blocks.flatMap(({ bars }) => bars.map(({ ratio }) => ratio.high)));
  const scale = (width - left - right) / longest;
  let y = top;
  const drawn = blocks.map((block) => {
    const text = drawBlock(block, y, scale);
    y += heading + block.bars.length * step;
    return text;
  });
  const summary = blocks.map(({ work, bars }) => `${work}: ${bars.map(spoken).join(', ')}.`).join(' ');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y}" width="${width}" height="${y}" role="img" aria-labelledby="title summary">`,
    `<title id="title">Requests a second, beside ${BASE}</title>`,
    `<desc id="summary">${escaped(summary)}</desc>`,
    `<style>${style}\n</style>`,
    `<text class="small" x="${left}" y="16">Requests a second, as multiples of ${BASE}'s: median, and quartiles over the rounds</text>`,
    ...drawn,
    '</svg>\n',
  ].join('\n');
}

function blockOf(results: Results, work: WorkName): Block[] {
  const bars = serverNames.flatMap((server) => {
    const ratios = ratiosAgainst(results, work, BASE, server);
    const rates = (results.samples[work]?.[server] ?? []).map(({ rate }) => rate);
    return ratios.length === 0 ? [] : [{ server, ratio: spreadOf(ratios), rate: spreadOf(rates).median }];
  });
  return bars.length === 0 ? [] : [{ work, bars }];
}

function drawBlock({ work, bars }: Block, y: number, scale: number): string {
  const base = left + scale;
  const [start, end] = [y + heading - 16, y + heading - 16 + bars.length * step];
  return [
    `<text class="work" x="${left}" y="${y + 18}">${escaped(work)}</text>`,
    ...bars.map((one, index) => drawBar(one, start + index * step, scale)),
    `<line class="base" x1="${base.toFixed(1)}" y1="${start - 4}" x2="${base.toFixed(1)}" y2="${end}"/>`,
  ].join('\n');
}

function drawBar({ server, ratio, rate }: Bar, y: number, scale: number): string {
  const middle = y + bar / 2;
  const [low, high] = [left + ratio.low * scale, left + ratio.high * scale];
  const kind = server === ours ? 'ours' : 'peer';
  const rest = `${ratio.median.toFixed(2)} · ${Math.round(rate).toLocaleString('en-US')}/s`;
  return [
    `<text x="${left - 10}" y="${middle + 4.5}" text-anchor="end">${escaped(server)}</text>`,
    `<rect class="${kind}" x="${left}" y="${y}" width="${(ratio.median * scale).toFixed(1)}" height="${bar}" rx="2"/>`,
    `<line class="line" x1="${low.toFixed(1)}" y1="${middle}" x2="${high.toFixed(1)}" y2="${middle}"/>`,
    `<text class="small" x="${width - 4}" y="${middle + 4}" text-anchor="end">${rest}</text>`,
  ].join('\n');
}

function spoken({ server, ratio }: Bar): string {
  return `${server} ${ratio.median.toFixed(2)}`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
