import { contractJson } from '@animal-store/contract/document';

/** The whole contract, read once. Its parts are shared: they are not to be changed. */
export const contractDocument = JSON.parse(contractJson);
