import {
  addressOf,
  formParts,
  headersWithType,
  multipartType,
  type Reading,
  type SampleBody,
  type SampleHeader,
  type SampleRequest,
  urlEncodedText,
} from './sample-request.ts';
import { inSequence, jsonParts, type SampleStep, Stored } from './steps.ts';

/** The packages that samples use. A sample imports those whose names occur in it. */
const packages = [
  'bufio',
  'crypto/rand',
  'fmt',
  'io',
  'net/http',
  'os',
  'path',
  'regexp',
  'strconv',
  'strings',
  'time',
];

const eachLine = `lines := bufio.NewScanner(response.Body)
for lines.Scan() {
	fmt.Println(lines.Text())
}`;

/** The code for a response that has arrived. */
const readings: Record<Exclude<Reading, 'pages'>, (request: SampleRequest) => string> = {
  status: () => 'fmt.Println(response.StatusCode)',
  json: () => 'fmt.Println(read(response))',
  text: () => 'fmt.Println(read(response))',
  lines: () => eachLine,
  jsonLines: () => eachLine,
  events: () => eachLine,
  file: ({ response }) => `file, err := os.Create(${quoted(response.file)})
if err != nil {
	panic(err)
}
defer file.Close()
if _, err := io.Copy(file, response.Body); err != nil {
	panic(err)
}`,
};

const newId = `
func newID() string {
	bytes := make([]byte, 16)
	if _, err := rand.Read(bytes); err != nil {
		panic(err)
	}
	return fmt.Sprintf("%x", bytes)
}
`;

const fileReader = `
func content(file string) string {
	bytes, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	return string(bytes)
}
`;

/** The operation with the standard library of Go: `go run main.go` runs it. */
export function goSample(request: SampleRequest): string {
  const { remarks, response, secrets } = request;
  const { reading } = response;
  const isEndless = ['lines', 'jsonLines', 'events'].includes(reading);
  const main = reading === 'pages' ? loop(request) : call(request, readings[reading](request));
  const keys = secrets.map(
    ({ variable }) => `key := os.Getenv(${quoted(variable)})
if key == "" {
	key = "${request.names.keyPlaceholder}"
}
`,
  );
  const steps = `${keys.join('')}${keys.length === 0 ? '' : '\n'}${inSequence(request, '//', stepCode, main)}`;
  const code = `
${isEndless ? '' : 'var client = http.Client{Timeout: 30 * time.Second}\n\n'}func main() {
${steps.replaceAll(/^(?=.)/gm, '\t')}}

func newRequest(method, url, body string) *http.Request {
	request, err := http.NewRequest(
		method, url, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	return request
}

// After a 429, send waits for Retry-After.
func send(request *http.Request) *http.Response {
	for attempt := 1; ; attempt++ {
		request.Body, _ = request.GetBody()
		response, err := ${isEndless ? 'http.DefaultClient' : 'client'}.Do(request)
		if err != nil {
			panic(err)
		}
		if response.StatusCode < 400 {
			return response
		}
		text := read(response)
		if response.StatusCode != 429 || attempt == 4 {
			panic(text)
		}
		wait, err := strconv.Atoi(
			response.Header.Get("Retry-After"))
		if err != nil {
			wait = 60
		}
		time.Sleep(time.Duration(wait) * time.Second)
	}
}

func read(response *http.Response) string {
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		panic(err)
	}
	return string(text)
}
${steps.includes('newID()') ? newId : ''}${steps.includes('content(') ? fileReader : ''}`;
  const imports = packages.filter((name) => new RegExp(`\\b${name.split('/').at(-1)}\\.`).test(code));
  return `${remarks.map((remark) => `// ${remark}\n`).join('')}${remarks.length === 0 ? '' : '\n'}package main

import (
${imports.map((name) => `\t"${name}"\n`).join('')})
${code}`;
}

/** A variable's name in the style of Go: `noteID`. */
function goName(variable: string): string {
  return variable.replace(/Id$/, 'ID');
}

function stepCode({ request, from, stores }: SampleStep): string {
  const name = goName(stores.variable);
  const header = (header: string) => `send(${name}Request).Header.Get("${header}")`;
  const value = from === 'id' ? `path.Base(\n\t${header('Location')})` : header('ETag');
  return `// ${request.summary}\n${built(request, url(request), `${name}Request`)}${name} := ${value}\n`;
}

function call(request: SampleRequest, print: string): string {
  const closing = print.includes('response.Body') ? 'defer response.Body.Close()\n' : '';
  return `${built(request, url(request), 'request')}response := send(request)\n${closing}${print}\n`;
}

function loop(request: SampleRequest): string {
  return `next := regexp.MustCompile(\`<([^>]+)>; rel="next"\`)
url := ${url(request, ' + ')}
for url != "" {
${built(request, 'url', 'request').replaceAll(/^(?=.)/gm, '\t')}	page := send(request)
	fmt.Println(read(page))
	links := page.Header.Get("Link")
	url = ""
	if link := next.FindStringSubmatch(links); link != nil {
		url = link[1]
	}
}
`;
}

/** gofmt writes the arguments of a call without spaces around their operators. */
function url(request: SampleRequest, plus = '+'): string {
  const address = addressOf(request, (variable) => `"${plus}${goName(variable)}${plus}"`);
  return `"${request.baseUrl}${address}"`.replace(/ ?\+ ?""$/, '');
}

/** The statements that make the request. */
function built(request: SampleRequest, url: string, name: string): string {
  const { method, body, secrets } = request;
  const isMultipart = body?.sending === 'form' && body.isMultipart;
  const headers = [
    ...secrets.map(({ name, prefix }) => [name, prefix === '' ? 'key' : `${quoted(prefix)}+key`]),
    ...headersWithType(request).map((header) => [header.name, headerValue(header)]),
    ...(isMultipart ? [['Content-Type', quoted(multipartType)]] : []),
  ];
  const lines = headers.map(([header, value]) => `${name}.Header.Set("${header}", ${value})\n`);
  const sent = body === undefined ? '""' : data(body);
  const inLine = `${name} := newRequest("${method}", ${url}, ${sent})\n`;
  const start = inLine.length <= 60 ? inLine : `${name} := newRequest(\n\t"${method}",\n\t${url},\n\t${sent},\n)\n`;
  return `${start}${lines.join('')}`;
}

function headerValue(header: SampleHeader): string {
  if (!('value' in header)) return 'newID()';
  return header.value instanceof Stored ? goName(header.value.variable) : quoted(String(header.value));
}

function data(body: SampleBody): string {
  if (body.sending === 'file') return `content(${quoted(body.file)})`;
  if (body.sending === 'text') return quoted(body.text);
  if (body.sending === 'form') {
    if (!body.isMultipart) return quoted(urlEncodedText(body.fields));
    return formParts(body.fields)
      .map((part) => ('text' in part ? quoted(part.text) : `content(${quoted(part.file)})`))
      .join('+\n\t\t');
  }
  return jsonParts(body.value)
    .map((part) => (part instanceof Stored ? goName(part.variable) : raw(part)))
    .join('+');
}

/** Between backticks, no character is special. */
function raw(text: string): string {
  return text.includes('`') ? quoted(text) : `\`${text}\``;
}

/** A JSON string is also a valid Go string. */
function quoted(value: string): string {
  return JSON.stringify(value);
}
