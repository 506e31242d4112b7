/** The words of a name in snake case: `dateOfBirth` and `date-of-birth` become `date_of_birth`. */
export const inWords = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();

/** Whether a field of this name usually holds a secret, such as `clientSecret` or `otp_code`. */
export const isSecretName = (name: string): boolean =>
  /(?:^|_)(?:password|passwd|passphrase|secret|token|api_?key|private_key|authorization|cookie|signature|passcode|(?:pin|otp|cvv|cvc|security|verification|access|auth|authorization|one_time|recovery|reset|login)_code|pin|otp|cvv|cvc)$/.test(
    inWords(name),
  );

/** Whether a field of this name usually holds personal data, such as `phone_number` or `dateOfBirth`. */
export const isPersonalName = (name: string): boolean =>
  /(?:^|_)(?:phone|mobile|fax|e?mail|birth|birthday|birthdate|dob|iban|ssn|passport|card|pan|address|street|zip|zip_code|post_?code|postal_code|(?:national|tax|ssn|passport|caller)_id|social_security|first_name|last_name|full_name)(?:_number|_date)?$/.test(
    inWords(name),
  );
