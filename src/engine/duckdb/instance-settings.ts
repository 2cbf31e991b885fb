/** Settings of the instance: it loads no extension, downloads nothing and spills nothing to disk. */
export const instanceSettings = {
  temp_directory: '',
  autoload_known_extensions: 'false',
  autoinstall_known_extensions: 'false',
  allow_community_extensions: 'false',
  allow_unsigned_extensions: 'false',
  allow_persistent_secrets: 'false',
  catalog_error_max_schemas: '0',
} as const;
