import type { SwaggerUi } from './swagger-ui.ts';

/** The contract's security scheme. */
const scheme = 'apiKey';

/** Every call carries what the field has. It is kept in the page's memory alone, and goes with it. */
export function startKeyField(field: HTMLInputElement, ui: SwaggerUi): void {
  let isSet = false;
  const follow = () => {
    const key = field.value.trim();
    if (key !== '') ui.preauthorizeApiKey(scheme, key);
    // Swagger UI fails when it is to forget what it never had.
    else if (isSet) ui.authActions.logout([scheme]);
    isSet = key !== '';
  };
  field.addEventListener('input', follow);
  // Typed while the operations were being loaded.
  if (field.value !== '') follow();
  // A page that comes back by the back button would still have it.
  addEventListener('pagehide', () => {
    field.value = '';
    follow();
  });
}
