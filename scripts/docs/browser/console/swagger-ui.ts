/** As much of Swagger UI as the console uses. Its script is loaded before ours and leaves one global. */

export type SwaggerUi = {
  /** Has calls carry a credential; the name is that of the security scheme. */
  preauthorizeApiKey: (scheme: string, value: string) => void;
  authActions: { logout: (schemes: string[]) => void };
};

type Component = (properties: { text?: unknown }) => unknown;
type Plugin = () => {
  wrapComponents: Record<string, () => Component>;
  statePlugins: { layout: { actions: { scrollToElement: (element: Element) => () => void } } };
};

type CreateSwaggerUi = (settings: {
  spec: object;
  domNode: HTMLElement;
  onComplete: () => void;
  plugins: Plugin[];
  [setting: string]: unknown;
}) => SwaggerUi;

declare global {
  interface Window {
    SwaggerUIBundle?: CreateSwaggerUi;
  }
}

/** What the page has itself, or nobody needs: title and text of the contract, locks, the models. */
const leftOut = ['info', 'InfoContainer', 'authorizeBtn', 'authorizeOperationBtn', 'Models', 'OnlineValidatorBadge'];

const ownParts: Plugin = () => ({
  wrapComponents: {
    ...Object.fromEntries(leftOut.map((name) => [name, () => () => null])),
    // A link inside the button that opens an operation: neither keyboards nor screen readers can use it.
    DeepLink:
      () =>
      ({ text }) =>
        text,
  },
  // Its own way to an operation ends below the header of the page; the browser's minds scroll-margin.
  statePlugins: { layout: { actions: { scrollToElement: (element) => () => element.scrollIntoView() } } },
});

/**
 * Shows the operations of a contract, each ready to be sent. Nothing is stored, and nobody is called but the contract's
 * servers.
 *
 * @throws Error when Swagger UI is not there
 */
export function showOperations(contract: object, domNode: HTMLElement): Promise<SwaggerUi> {
  const { SwaggerUIBundle: create } = window;
  if (create === undefined) throw new Error('Swagger UI was not loaded.');
  return new Promise((resolve) => {
    const ui = create({
      spec: contract,
      domNode,
      onComplete: () => resolve(ui),
      plugins: [ownParts],
      deepLinking: true,
      tryItOutEnabled: true,
      displayRequestDuration: true,
      requestSnippetsEnabled: true,
      persistAuthorization: false,
      // A service of others that would be sent the contract's address.
      validatorUrl: null,
      syntaxHighlight: { theme: 'nord' },
    });
  });
}
