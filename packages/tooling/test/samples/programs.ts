import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { leaveOut } from '../../../testing/src/left-out.ts';
import { classNameOf } from '../../src/docs/samples/java.ts';
import { type SampleLanguage, sampleLanguages } from '../../src/docs/samples/languages.ts';
import { project, root } from '../../src/project.ts';

/** A sample to run. `id` is the operation; for Java, the name of its class is derived from it. */
export type SampleRun = { id: string; source: string };

/** `output` is the stdout of the sample. */
export type Outcome = { id: string; succeeded: boolean; output: string };

type Program = {
  file: (id: string) => string;
  /** The sample as the runner can call it. Default: unchanged. */
  part?: (sample: SampleRun) => string;
  /** The program that runs each file in one process; see `mark`. */
  runner: { file: string; code: string | ((ids: readonly string[]) => string) };
  /** The command and its options; the start and the files follow. */
  command: readonly [program: string, ...options: string[]];
  /** What starts the runner. Default: its file. */
  start?: readonly string[];
  /** Runs before it. */
  compiler?: (files: readonly string[]) => readonly string[];
  needs: string;
  isThere: () => boolean;
};

/** Each runner prints this mark and the file before each sample, and the mark, `exit`, and 0 or 1 after it. */
const mark = '\u001e';

/** The system's Python, which has the packages of the package manager. Another one may come first on the PATH. */
const python = ['python3', '/usr/bin/python3'].find((program) => runs(program, '-c', 'import requests'));

const nodeRunner = `for (const file of process.argv.slice(2)) {
  console.log('${mark}' + file);
  const code = await import('./' + file).then(() => 0, (error) => (console.log(error), 1));
  console.log('${mark}exit ' + code);
}`;

/** The way to run the samples of a language, and the programs that the machine needs. */
export const programs: Record<SampleLanguage, Program> = {
  curl: {
    file: (id) => `${id}.sh`,
    runner: {
      file: 'run-all.sh',
      code: `for file; do printf '${mark}%s\\n' "$file"; if . "./$file"; then code=0; else code=1; fi; printf '${mark}exit %s\\n' $code; done`,
    },
    command: ['sh'],
    needs: 'install curl (apt-get install curl)',
    isThere: () => runs('curl', '--version'),
  },
  typescript: {
    file: (id) => `${id}.ts`,
    runner: { file: 'run-all.ts', code: nodeRunner },
    command: [process.execPath],
    needs: 'nothing',
    isThere: () => true,
  },
  python: {
    file: (id) => `${id}.py`,
    runner: {
      file: 'run_all.py',
      code: `import runpy, sys
for file in sys.argv[1:]:
    print("${mark}" + file, flush=True)
    code = 0
    try:
        runpy.run_path(file, run_name="__main__")
    except BaseException as error:
        print(error)
        code = 1
    print(f"${mark}exit {code}", flush=True)
`,
    },
    command: [python ?? 'python3'],
    needs: 'install Python and requests (apt-get install python3-requests)',
    isThere: () => python !== undefined,
  },
  go: {
    file: (id) => `${id}/main.go`,
    part: ({ id, source }) =>
      source.replace('package main\n', `package ${id}\n`).replace('func main() {', 'func Main() {'),
    runner: {
      file: 'run-all.go',
      code: (ids) => `package main

import (
	"fmt"
	"os"
${ids.map((id) => `\t"samples/${id}"\n`).join('')})

func main() {
	samples := map[string]func(){${ids.map((id) => `"${id}/main.go": ${id}.Main`).join(', ')}}
	for _, file := range os.Args[1:] {
		fmt.Println("${mark}" + file)
		fmt.Println("${mark}exit", run(samples[file]))
	}
}

func run(sample func()) (code int) {
	defer func() {
		if reason := recover(); reason != nil {
			fmt.Println(reason)
			code = 1
		}
	}()
	sample()
	return 0
}
`,
    },
    compiler: () => ['go', 'build', '-o', 'run-all-go', 'run-all.go'],
    command: ['./run-all-go'],
    start: [],
    needs: 'install Go from version 1.19 on (apt-get install golang-go)',
    isThere: () => runs('go', 'version'),
  },
  java: {
    file: (id) => `${classNameOf(id)}.java`,
    runner: {
      file: 'RunAll.java',
      code: `public class RunAll {
  public static void main(String[] files) throws Exception {
    for (String file : files) {
      System.out.println("${mark}" + file);
      int code = 0;
      try {
        Class.forName(file.replace(".java", "")).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
      } catch (Exception error) {
        System.out.println(error.getCause());
        code = 1;
      }
      System.out.println("${mark}exit " + code);
    }
  }
}
`,
    },
    // Starts faster: the program ends before optimisation would pay off.
    compiler: (files) => ['javac', '-J-XX:TieredStopAtLevel=1', '-J-XX:+UseSerialGC', 'RunAll.java', ...files],
    command: ['java', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-cp', '.'],
    start: ['RunAll'],
    needs: 'install a JDK from version 17 on (apt-get install default-jdk-headless)',
    isThere: () => runs('javac', '--version'),
  },
};

/** The languages whose samples can run here. The others are reported as left out, with what is missing. */
export function runnableLanguages(): SampleLanguage[] {
  return sampleLanguages.filter((language) => {
    const { isThere, needs } = programs[language];
    const found = isThere();
    if (!found) leaveOut(`running the ${language} samples`, needs);
    return found;
  });
}

/** A folder in which the client, or its replacement, can be imported, as after `npm install CLIENT`. */
export function partnersFolder(client = join(root, 'packages/client')): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'samples-'));
  mkdirSync(join(folder, 'node_modules', dirname(project.clientPackage)), { recursive: true });
  symlinkSync(client, join(folder, 'node_modules', project.clientPackage));
  symlinkSync(join(root, 'node_modules/@types'), join(folder, 'node_modules/@types'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'go.mod'), 'module samples\n\ngo 1.19\n');
  return { folder, remove: () => rmSync(folder, { recursive: true }) };
}

/**
 * Runs the samples of a language one after another in one process and one folder, because starting a process takes time.
 * The environment has no settings for the API, because each sample must be complete.
 */
export async function runSamples(
  language: SampleLanguage,
  samples: readonly SampleRun[],
  folder: string,
): Promise<Outcome[]> {
  const { file, part = ({ source }) => source, runner, command, compiler, start = [runner.file] } = programs[language];
  const { code } = runner;
  const ids = samples.map(({ id }) => id);
  writeFileSync(join(folder, runner.file), typeof code === 'string' ? code : code(ids));
  for (const sample of samples) {
    const path = join(folder, file(sample.id));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, part(sample));
  }
  const files = ids.map(file);
  if (compiler !== undefined) {
    const { exitCode, stdout, stderr } = await runIn(folder, compiler(files));
    if (exitCode !== 0) throw new Error(stdout + stderr);
  }
  const { stdout, stderr } = await runIn(folder, [...command, ...start, ...files]);
  return samples.map(({ id }) => {
    const [, after] = stdout.split(`${mark}${file(id)}\n`);
    const [output = '', end] = after?.split(`${mark}exit `) ?? [];
    const succeeded = end?.startsWith('0') ?? false;
    return { id, succeeded, output: succeeded ? output : `${output}${stderr}` };
  });
}

/** Runs a command in an environment like the reader's, without the variables of the tests. */
export async function runIn(folder: string, [program = '', ...parameters]: readonly string[]) {
  const { PATH = '', HOME = '' } = process.env;
  // Removed with the folder, and not the folder itself, whose go.mod Go would then ignore.
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary, { recursive: true });
  const child = spawn(program, parameters, {
    // The client is the same in every run, so a compile cache saves time.
    env: {
      PATH,
      HOME,
      TMPDIR: temporary,
      LC_ALL: 'C.UTF-8',
      NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compile'),
    },
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    new Promise<number | null>((ended, failed) => child.once('close', ended).once('error', failed)),
  ]);
  return { exitCode, stdout, stderr };
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function runs(command: string, ...parameters: string[]): boolean {
  return spawnSync(command, parameters).status === 0;
}
