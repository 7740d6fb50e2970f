/** Filters the rows of a table while the reader types, and shows how many are left. */
export function startFilter(field: HTMLInputElement): void {
  const table = document.getElementById(field.dataset['filters'] ?? '');
  const count = field.parentElement?.querySelector('[role=status]');
  if (table === null || !count) return;
  const rows = [...table.querySelectorAll<HTMLTableRowElement>('tbody tr')];

  function filter(): void {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      const text = (row.textContent ?? '').toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
    const left = rows.filter(({ hidden }) => !hidden).length;
    if (count) count.textContent = words.length === 0 ? '' : `${left} of ${rows.length} rows`;
  }

  field.addEventListener('input', filter);
  // A link to a row must show the row even if it is filtered out.
  addEventListener('hashchange', () => {
    field.value = '';
    filter();
  });
  filter();
}
