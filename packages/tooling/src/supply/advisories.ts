import { parse } from 'yaml';

/** The fields of the report of `pnpm audit --json` that are read here. */
export type AuditReport = { advisories: Record<string, Advisory> };

type Advisory = {
  findings: { version: string }[];
  title: string;
  module_name: string;
  patched_versions?: string;
  severity: string;
  github_advisory_id?: string;
  cves?: string[];
  url: string;
};

/** An entry of advisories.yaml. `until` is the last day on which it holds, as 2027-03-31. */
export type AllowedAdvisory = { id: string; package: string; reason: string; until: string };

/** The check fails if there are problems. `notes` is what a reader should know in any case. */
export type Verdict = { problems: string[]; notes: string[] };

/** The most days that an entry may hold. */
const LONGEST_DAYS = 180;

/** The report in the output of `pnpm audit --json`, or undefined if the output is something else, such as an error. */
export function readReport(output: string): AuditReport | undefined {
  try {
    const report: AuditReport | null = JSON.parse(output);
    return typeof report?.advisories === 'object' ? report : undefined;
  } catch {
    return undefined;
  }
}

/** @throws Error that names each entry with a missing or wrong field */
export function readAllowed(yaml: string, today: Date): AllowedAdvisory[] {
  // A file with comments only is null.
  const entries: Partial<AllowedAdvisory>[] = parse(yaml) ?? [];
  const latest = dayAfter(today, LONGEST_DAYS);
  const faults = entries.flatMap(({ id, package: name, reason, until = '' }) => {
    const label = `advisories.yaml: ${id ?? 'an entry without an ID'}`;
    return [
      ...(/^(GHSA-[\w-]+|CVE-\d{4}-\d+)$/.test(id ?? '') ? [] : [`${label} needs the ID of a GHSA or a CVE.`]),
      ...(name ? [] : [`${label} needs a package.`]),
      ...(reason ? [] : [`${label} needs a reason.`]),
      ...(isDay(until) ? [] : [`${label} needs the day on which it ends, such as 2027-03-31.`]),
      ...(isDay(until) && until > latest ? [`${label} ends after ${latest}, the latest day that is allowed now.`] : []),
    ];
  });
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return entries.filter(isComplete);
}

/**
 * Compares the advisories of all installed packages with those that are allowed. Only packages in `shipped`, given as
 * `name@version`, reach production; the others are notes.
 */
export function judge(
  { advisories }: AuditReport,
  shipped: ReadonlySet<string>,
  allowed: readonly AllowedAdvisory[],
  today: Date,
): Verdict {
  const problems: string[] = [];
  const notes: string[] = [];
  const used = new Set<AllowedAdvisory>();
  for (const advisory of Object.values(advisories)) {
    const versions = [...new Set(advisory.findings.map(({ version }) => version))];
    const reaching = versions.filter((version) => shipped.has(`${advisory.module_name}@${version}`));
    const entry = allowed.find((each) => each.package === advisory.module_name && idsOf(advisory).includes(each.id));
    if (entry !== undefined) used.add(entry);
    if (reaching.length === 0) notes.push(`Development only: ${describe(advisory, versions)}`);
    else if (entry === undefined) problems.push(describe(advisory, reaching));
    else if (isOver(entry, today))
      problems.push(`${describe(advisory, reaching)} It was allowed until ${entry.until}.`);
    else notes.push(`Allowed until ${entry.until}: ${describe(advisory, reaching)} ${entry.reason}`);
  }
  for (const entry of allowed.filter((each) => !used.has(each))) {
    const text = `advisories.yaml: ${entry.id} was not reported for ${entry.package}. Remove the entry if it is fixed.`;
    if (isOver(entry, today)) problems.push(`${text} It ended on ${entry.until}.`);
    else notes.push(text);
  }
  return { problems, notes };
}

function describe(advisory: Advisory, versions: readonly string[]): string {
  const { module_name: name, severity, title, patched_versions: fixed, url } = advisory;
  const remedy = fixed === undefined ? '' : ` Fixed in ${fixed}.`;
  return `${idsOf(advisory).join(', ')} (${severity}) in ${name} ${versions.join(', ')}: ${title}.${remedy} ${url}`;
}

function idsOf({ github_advisory_id: id, cves = [], url }: Advisory): string[] {
  return [id ?? url.split('/').at(-1) ?? url, ...cves];
}

function isOver({ until }: AllowedAdvisory, today: Date): boolean {
  return until < dayAfter(today, 0);
}

function isComplete(entry: Partial<AllowedAdvisory>): entry is AllowedAdvisory {
  return [entry.id, entry.package, entry.reason, entry.until].every((field) => typeof field === 'string');
}

function isDay(text: string): boolean {
  const day = new Date(text);
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

function dayAfter(today: Date, days: number): string {
  return new Date(today.getTime() + days * 86_400_000).toISOString().slice(0, 10);
}
