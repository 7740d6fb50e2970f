import { headersWithType, type Reading, type SampleBody, type SampleRequest, urlOf } from './sample-request.ts';

/** The packages that samples use. A sample imports those whose names occur in it. */
const packages = ['fmt', 'io', 'net/http', 'os', 'strings', 'time'];

const print = `if _, err := io.Copy(os.Stdout, response.Body); err != nil {
	panic(err)
}`;

/** The code for a response that has arrived. */
const readings: Record<Reading, (request: SampleRequest) => string> = {
  status: () => 'fmt.Println(response.StatusCode)',
  json: () => print,
  text: () => print,
  lines: () => print,
  file: ({ response }) => `file, err := os.Create(${quoted(response.file)})
if err != nil {
	panic(err)
}
defer file.Close()
if _, err := io.Copy(file, response.Body); err != nil {
	panic(err)
}`,
};

/** The operation with the standard library of Go: `go run main.go` runs it. */
export function goSample(request: SampleRequest): string {
  const { method, body, secret, names, remarks, response } = request;
  const { reading } = response;
  const headers = [
    ...(secret === undefined ? [] : [[secret.name, secret.prefix === '' ? 'key' : `${quoted(secret.prefix)}+key`]]),
    ...headersWithType(request).map(({ name, value }) => [name, quoted(String(value))]),
  ];
  const key = `key := os.Getenv(${quoted(secret?.variable ?? '')})
if key == "" {
	key = ${quoted(names.keyPlaceholder)}
}
`;
  const file = `body, err := os.Open(${quoted(body?.sending === 'file' ? body.file : '')})
if err != nil {
	panic(err)
}
`;
  const main = `${secret === undefined ? '' : key}${body?.sending === 'file' ? file : ''}request, err := http.NewRequest(
	"${method}",
	${quoted(urlOf(request))},
	${body === undefined ? 'nil' : data(body)},
)
if err != nil {
	panic(err)
}
${headers.map(([name, value]) => `request.Header.Set("${name}", ${value})\n`).join('')}
client := http.Client{${reading === 'lines' ? '' : 'Timeout: 30 * time.Second'}}
response, err := client.Do(request)
if err != nil {
	panic(err)
}
defer response.Body.Close()
if response.StatusCode >= 400 {
	problem, _ := io.ReadAll(response.Body)
	panic(string(problem))
}
${readings[reading](request)}
`;
  const imports = packages.filter((name) => new RegExp(`\\b${name.split('/').at(-1)}\\.`).test(main));
  return `${remarks.map((remark) => `// ${remark}\n`).join('')}package main

import (
${imports.map((name) => `\t"${name}"\n`).join('')})

func main() {
${main.replaceAll(/^(?=.)/gm, '\t')}}
`;
}

function data(body: SampleBody): string {
  if (body.sending === 'file') return 'body';
  if (body.sending === 'text') return `strings.NewReader(${quoted(body.text)})`;
  const json = JSON.stringify(body.value);
  // Between backticks, no other character is special.
  return `strings.NewReader(${json.includes('`') ? quoted(json) : `\`${json}\``})`;
}

/** A JSON string is also a valid Go string. */
function quoted(value: string): string {
  return JSON.stringify(value);
}
