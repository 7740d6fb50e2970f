/** What is read of a package.json. */
export type Manifest = {
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
};

/** What is read of pnpm-workspace.yaml. */
export type WorkspaceSettings = {
  catalog?: Record<string, string>;
  catalogs?: Record<string, Record<string, string>>;
  minimumReleaseAge?: number;
  minimumReleaseAgeExclude?: string[];
  allowBuilds?: Record<string, boolean>;
  strictDepBuilds?: boolean;
};

/** Minutes that a version must be old before it is installed: a stolen account is mostly noticed within days. */
const LEAST_AGE = 3 * 24 * 60;

/** Packages whose scripts may run at an install. `node` fetches the run time of this platform. */
const MAY_RUN = ['node'];

const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare', 'preprepare', 'postprepare'];

/** What is unsafe about how dependencies come in; one sentence each. */
export function settingsFaults(settings: WorkspaceSettings): string[] {
  const faults: string[] = [];
  for (const catalog of [settings.catalog ?? {}, ...Object.values(settings.catalogs ?? {})]) {
    for (const [name, version] of Object.entries(catalog)) {
      if (!isExact(version)) faults.push(`${name} is ${version}, which is not one exact version.`);
    }
  }
  if ((settings.minimumReleaseAge ?? 0) < LEAST_AGE)
    faults.push(`minimumReleaseAge is less than ${LEAST_AGE} minutes.`);
  if (settings.minimumReleaseAgeExclude !== undefined) faults.push('Some packages need not be old enough.');
  if (settings.strictDepBuilds !== true) faults.push('An install script that nobody allowed is no error.');
  for (const [name, allowed] of Object.entries(settings.allowBuilds ?? {})) {
    if (allowed && !MAY_RUN.includes(name)) faults.push(`${name} may run scripts when it is installed.`);
  }
  return faults;
}

/** What is unsafe about one of our packages. */
export function manifestFaults(file: string, manifest: Manifest): string[] {
  const scripts = Object.keys(manifest.scripts ?? {}).filter((name) => INSTALL_SCRIPTS.includes(name));
  const { dependencies = {}, devDependencies = {}, optionalDependencies = {} } = manifest;
  const loose = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }).filter(
    ([, version]) => !/^(catalog|workspace):/.test(version),
  );
  return [
    ...scripts.map((name) => `${file} has the install script ${name}.`),
    ...loose.map(([name, version]) => `${file} takes ${name} at ${version}, past the catalog.`),
  ];
}

/** What is unsafe about the lockfile: addresses of its own, and packages without a checksum. */
export function lockfileFaults(lockfile: string): string[] {
  const faults: string[] = [];
  for (const [index, line] of lockfile.split('\n').entries()) {
    if (/https?:|git\+|tarball:/.test(line))
      faults.push(`pnpm-lock.yaml:${index + 1} names an address: ${line.trim()}`);
    if (/resolution: \{(?!.*integrity: sha512-)(?!directory)/.test(line)) {
      faults.push(`pnpm-lock.yaml:${index + 1} has no checksum: ${line.trim()}`);
    }
  }
  return faults;
}

/** One version; another name may stand before it, for a second version of the same package. */
function isExact(version: string): boolean {
  return /^(npm:[a-z0-9@/._-]+@)?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version);
}
