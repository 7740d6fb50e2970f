/** The script of every page: the search, a button that copies each block of code, and the form of an operation. */
import { startSearch } from './search.ts';
import { sendForm } from './try-it.ts';

startSearch(document);

for (const block of document.querySelectorAll('.code')) {
  const button = document.createElement('button');
  button.className = 'code-copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    // Without HTTPS, a browser may refuse. The reader can still select the text.
    const copied = await navigator.clipboard.writeText(block.querySelector('code')?.textContent ?? '').then(
      () => 'Copied',
      () => 'Not copied',
    );
    button.textContent = copied;
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2_000);
  });
  block.append(button);
}

for (const form of document.querySelectorAll<HTMLFormElement>('.try form')) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void sendForm(form);
  });
}
