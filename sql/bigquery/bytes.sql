-- Functions of BYTES. If DuckDB has the function only for texts, each byte becomes a character from U+0000 to U+00FF (Latin-1),
-- and the result is converted back to bytes. DuckDB's text of bytes has an escape, \xHH, for each byte that is not printable
-- ASCII, and for quotes and the backslash; in UTF-8, the characters U+0080 to U+00BF are C2 and the byte, and U+00C0 to U+00FF are C3 and the byte less 40. \y marks what is done.
create macro bq.escape_latin1(t) as
  replace(
    regexp_replace(
      replace(replace(replace(replace(t, '\xC', '\xC3\y8'), '\xD', '\xC3\y9'), '\xE', '\xC3\yA'), '\xF', '\xC3\yB'),
      '\\x([89AB])',
      '\\xC2\\y\1',
      'g'
    ),
    '\y',
    '\x'
  );

create macro bq.unescape_latin1(t) as
  replace(
    replace(
      replace(
        replace(replace(replace(t, '\xC3\x8', '\yC'), '\xC3\x9', '\yD'), '\xC3\xA', '\yE'),
        '\xC3\xB',
        '\yF'
      ),
      '\xC2',
      ''
    ),
    '\y',
    '\x'
  );

create macro bq.to_latin1(b) as
  list_transform(
    [cast(b as varchar)],
    lambda v: case when contains(v, '\') then decode(cast(bq.escape_latin1(v) as blob)) else v end
  )[1];

create macro bq.from_latin1(s) as
  list_transform(
    [s],
    lambda v: case
      when strlen(v) = length(v) then encode(v)
      else cast(bq.unescape_latin1(cast(encode(v) as varchar)) as blob)
    end
  )[1];

create macro bq.repeat_bytes(b, n) as
  list_transform(
    [{b: b, n: n}],
    lambda r: case
      when r.b is null then null
      when r.n < 0 then bq.fail_bytes('Second argument (repeat count) for REPEAT cannot be negative')
      when octet_length(r.b) = 0 and r.n is not null then r.b
      when cast(r.n as hugeint) * octet_length(r.b) > 1000000
        then bq.fail_bytes('Output of REPEAT exceeds max allowed output size of 1MB')
      else repeat(r.b, r.n)
    end
  )[1];

create macro bq.pad_pattern_bytes(p) as
  list_transform(
    [p],
    lambda v: case
      when octet_length(v) = 0
        then bq.fail_bytes('Third argument (pad pattern) for LPAD/RPAD cannot be empty')
      else v
    end
  )[1];

-- The bytes that LPAD and RPAD add
create macro bq.padding_bytes(p, missing) as repeat(p, missing // octet_length(p) + 1)[1:missing];

create macro bq.lpad_bytes(b, n, p) as
  case
    when b is not null and n is not null and p is not null
      then list_transform(
        [{b: b, n: bq.pad_length(n), p: bq.pad_pattern_bytes(p)}],
        lambda r: case
          when r.n > octet_length(r.b) then bq.padding_bytes(r.p, r.n - octet_length(r.b)) || r.b
          when r.p is not null then r.b[1:r.n]
        end
      )[1]
  end;

create macro bq.rpad_bytes(b, n, p) as
  case
    when b is not null and n is not null and p is not null
      then list_transform(
        [{b: b, n: bq.pad_length(n), p: bq.pad_pattern_bytes(p)}],
        lambda r: case
          when r.n > octet_length(r.b) then r.b || bq.padding_bytes(r.p, r.n - octet_length(r.b))
          when r.p is not null then r.b[1:r.n]
        end
      )[1]
  end;

create macro bq.to_hex(b) as lower(hex(b));

create macro bq.from_hex(s) as
  list_transform(
    [s],
    lambda v: case
      when not regexp_full_match(v, '[0-9a-fA-F]*')
        then bq.fail_bytes('Failed to decode invalid hexadecimal string')
      else unhex(v)
    end
  )[1];

create macro bq.hex_to_bytes(x) as
  case
    when not regexp_full_match(x, '[0-9a-fA-F]*')
      then bq.fail_bytes('Failed to decode invalid hexadecimal string')
    when length(x) % 2 = 1 then unhex('0' || x)
    else unhex(x)
  end;

create macro bq.from_base64(s) as
  list_transform(
    [regexp_replace(s, '\s', '', 'g')],
    lambda v: case
      when not regexp_full_match(v, '(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?')
        then bq.fail_bytes('Failed to decode invalid base64 string')
      else from_base64(rpad(v, cast((length(v) + 3) // 4 * 4 as integer), '='))
    end
  )[1];

create macro bq.base64_to_bytes(x) as
  case
    when not regexp_full_match(x, '([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?')
      then bq.fail_bytes('Failed to decode invalid base64 string')
    else from_base64(x)
  end;

create macro bq.bits(b) as
  bq.join(
    list_transform(regexp_extract_all(hex(b), '.'), lambda h: lpad(bin(cast('0x' || h as integer)), 4, '0')),
    ''
  );

create macro bq.from_bits(s) as
  unhex(
    bq.join(
      list_transform(regexp_extract_all(s, '.{8}'), lambda v: printf('%02x', cast('0b' || v as integer))),
      ''
    )
  );

create macro bq.to_base32(b) as
  list_transform(
    [
      bq.join(
        list_transform(
          regexp_extract_all(bq.bits(b) || '0000', '.{5}'),
          lambda v: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[cast('0b' || v as integer) + 1]
        ),
        ''
      )
    ],
    lambda v: case when v = '' then v else rpad(v, cast((length(v) + 7) // 8 * 8 as integer), '=') end
  )[1];

create macro bq.from_base32(s) as
  list_transform(
    [s],
    lambda v: case
      when not regexp_full_match(
          v,
          '(?:[A-Z2-7]{8})*(?:[A-Z2-7]{2}={6}|[A-Z2-7]{4}={4}|[A-Z2-7]{5}={3}|[A-Z2-7]{7}=)?'
        )
      then bq.fail_bytes('Failed to decode invalid base32 string')
      else bq.from_bits(
        bq.join(
          list_transform(
            regexp_extract_all(v, '[^=]'),
            lambda c: lpad(bin(strpos('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', c) - 1), 5, '0')
          ),
          ''
        )
      )
    end
  )[1];

create macro bq.bytes_to_ascii(b) as
  list_transform(
    [b],
    lambda v: case
      when regexp_matches(hex(v), '^(..)*[89A-F]') then bq.fail_string('Invalid ASCII value in bytes')
      else decode(v)
    end
  )[1];

create macro bq.ascii_to_bytes(s) as
  list_transform(
    [s],
    lambda v: case
      when strlen(v) > length(v) then bq.fail_bytes('Invalid ASCII value in text')
      else encode(v)
    end
  )[1];

create macro bq.base2_to_bytes(s) as
  list_transform(
    [s],
    lambda v: case
      when not regexp_full_match(v, '[01]*') then bq.fail_bytes('Failed to decode invalid base2 string')
      else bq.from_bits(lpad(v, cast((length(v) + 7) // 8 * 8 as integer), '0'))
    end
  )[1];

create macro bq.bytes_to_base64m(b) as
  regexp_replace(regexp_replace(to_base64(b), '.{76}', '\0' || chr(10), 'g'), '\n$', '');

create macro bq.safe_convert_bytes_to_string(b) as
  bq.join(
    list_transform(
      regexp_extract_all(
        hex(b),
        '[0-7].|(?:C[2-9A-F]|D.)[89AB].|E0[AB].[89AB].|(?:E[1-9A-CEF][89AB].|ED[89].)[89AB].|F0[9AB].[89AB].[89AB].|F[1-3][89AB].[89AB].[89AB].|F48.[89AB].[89AB].|..'
      ),
      lambda h: case when length(h) > 2 or h < '8' then decode(unhex(h)) else chr(65533) end
    ),
    ''
  );
