/** How long a button shows that it has copied, in milliseconds. */
const SAID_FOR = 2_000;

/** Every code block of the guides gets a button that copies it. */
export function startCopyButtons(page: Document): void {
  for (const block of page.querySelectorAll<HTMLElement>('.code')) {
    const button = page.createElement('button');
    button.type = 'button';
    button.className = 'code-copy';
    button.textContent = 'Copy';
    button.addEventListener('click', () => void copy(block.querySelector('code')?.textContent ?? '', button));
    block.append(button);
  }
}

async function copy(text: string, button: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    // Without HTTPS, a browser may refuse. The reader can still select the text.
    button.textContent = 'Not copied. Select the text instead.';
  }
  setTimeout(() => {
    button.textContent = 'Copy';
  }, SAID_FOR);
}
