export {
  type FormField,
  type FormFields,
  headerOf,
  isKeyScheme,
  isOwnPage,
  problemTitle,
  type SecurityScheme,
} from '../common/facts.ts';
export { withoutDiscriminator, withoutExamples } from '../openapi/document.ts';

/** Stands for the origin of the server in the files of the docs. The name is reserved (RFC 2606), so it never leads anywhere. */
export const originPlaceholder = 'https://this-server.invalid';
