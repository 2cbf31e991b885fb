-- NET functions: https://cloud.google.com/bigquery/docs/reference/standard-sql/net_functions
create macro bq.ip4_hex(s) as
  case
    when regexp_full_match(
        s,
        '(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)'
      )
    then bq.join(list_transform(string_split(s, '.'), lambda n: printf('%02x', cast(n as integer))), '')
  end;

create macro bq.ip6_groups(s) as
  bq.join(list_transform(list_filter(string_split(s, ':'), lambda g: g <> ''), lambda g: lpad(g, 4, '0')), '');

create macro bq.ip6_plain(s) as
  list_transform(
    [{head: regexp_extract(s, '(?s)\A(.*:)[^:]*\z', 1), tail: bq.ip4_hex(regexp_extract(s, '(?s)[^:]*\z'))}],
    lambda r: case
      when r.tail is null or r.head = '' then s
      else r.head || r.tail[1:4] || ':' || r.tail[5:8]
    end
  )[1];

create macro bq.ip6_hex(s) as
  list_transform(
    [{s: s, head: bq.ip6_groups(split_part(s, '::', 1)), tail: bq.ip6_groups(split_part(s, '::', 2))}],
    lambda r: case
      when not regexp_full_match(
          r.s,
          '(?:[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{1,4})*)?(?:::(?:[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{1,4})*)?)?'
        )
      then null
      when contains(r.s, '::')
        then case
          when length(r.head || r.tail) <= 28
            then rpad(r.head, cast(32 - length(r.tail) as integer), '0') || r.tail
        end
      when length(r.head) = 32 then r.head
    end
  )[1];

create macro bq.net_safe_ip_from_string(s) as
  list_transform([s], lambda v: unhex(coalesce(bq.ip4_hex(v), bq.ip6_hex(bq.ip6_plain(v)))))[1];

create macro bq.net_ip_from_string(s) as
  list_transform(
    [s],
    lambda v: coalesce(
      bq.net_safe_ip_from_string(v),
      case
        when v is not null
          then bq.fail_bytes('NET.IP_FROM_STRING() encountered an unparseable IP-address: ' || v)
      end
    )
  )[1];

create macro bq.ip4_text(h) as
  bq.join(
    list_transform(regexp_extract_all(h, '..'), lambda x: cast(cast('0x' || x as integer) as varchar)),
    '.'
  );

create macro bq.ip6_zeros(s) as
  list_transform(
    [{s: s, n: list_filter(range(8, 1, -1), lambda n: contains(s, repeat(':0', n) || ':'))[1]}],
    lambda r: regexp_replace(
      regexp_replace(
        case when r.n is null then r.s else regexp_replace(r.s, repeat(':0', r.n) || ':', '::') end,
        '\A:([^:])',
        '\1'
      ),
      '([^:]):\z',
      '\1'
    )
  )[1];

create macro bq.ip6_text(h) as
  case
    when regexp_matches(h, '\A0{20}ffff|\A0{24}(?:000[1-9a-f]|00[1-9a-f].|0[1-9a-f]..|[1-9a-f]...)')
      then case when h[21] = 'f' then '::ffff:' else '::' end || bq.ip4_text(h[25:])
    else bq.ip6_zeros(
      ':'
      || bq.join(
          list_transform(regexp_extract_all(h, '....'), lambda g: regexp_replace(g, '\A0{1,3}', '')),
          ':'
        )
      || ':'
    )
  end;

create macro bq.net_ip_to_string(b) as
  list_transform(
    [lower(hex(b))],
    lambda h: case length(h)
      when 8 then bq.ip4_text(h)
      when 32 then bq.ip6_text(h)
      else bq.fail_string(
        'NET.IP_TO_STRING() encountered an invalid IP address. Expected 4 (for IPv4) or 16 (for IPv6) bytes but got '
        || length(h) // 2
      )
    end
  )[1];

create macro bq.net_ip_net_mask(size, bits) as
  list_transform(
    [{n: size, p: bits}],
    lambda r: case
      when r.n not in (4, 16)
        then bq.fail_bytes(
          'The first argument of NET.IP_NET_MASK() must be either 4 (for IPv4) or 16 (for IPv6); got ' || r.n
        )
      when r.p not between 0 and r.n * 8
        then bq.fail_bytes(
          'The second argument of NET.IP_NET_MASK() must be between 0 and the first argument * 8; got '
          || r.p
        )
      else bq.from_bits(rpad(repeat('1', r.p), cast(r.n * 8 as integer), '0'))
    end
  )[1];

create macro bq.net_ip_trunc(b, bits) as
  list_transform(
    [{b: b, n: octet_length(b), p: bits}],
    lambda r: case
      when r.n not in (4, 16)
        then bq.fail_bytes(
          'The first argument of NET.IP_TRUNC() must have length 4 (for IPv4) or 16 (for IPv6); got ' || r.n
        )
      when r.p not between 0 and r.n * 8
        then bq.fail_bytes(
          'The second argument of NET.IP_TRUNC() must be between 0 and 8 * LENGTH(first argument); got '
          || r.p
        )
      when r.p = 0 then repeat(unhex('00'), r.n)
      when r.p is not null
        then cast(
          (try_cast(r.b as bit) >> cast(r.n * 8 - r.p as integer)) << cast(r.n * 8 - r.p as integer) as blob
        )
    end
  )[1];

create macro bq.net_ipv4_from_int64(n) as
  list_transform(
    [n],
    lambda v: case
      when v not between -2147483648 and 4294967295
        then bq.fail_bytes(
          'NET.IPV4_FROM_INT64() encountered an invalid integer IP. Expected range: [-0x80000000, 0xFFFFFFFF]; got '
          || v
        )
      else unhex(printf('%08x', v & 4294967295))
    end
  )[1];

create macro bq.net_ipv4_to_int64(b) as
  list_transform(
    [b],
    lambda v: case
      when octet_length(v) <> 4
        then bq.fail_int64(
          'NET.IPV4_TO_INT64() encountered a non-IPv4 address. Expected 4 bytes but got ' || octet_length(v)
        )
      else cast('0x' || hex(v) as bigint)
    end
  )[1];

create macro bq.url_authority(url) as
  regexp_replace(
    regexp_extract(
      regexp_replace(url, '\A[\t-\r ]+|[\t-\r ]+\z', '', 'g'),
      '(?s)\A(?:[/\\]{2}|[^/?#\\:]*:[/\\]{2})?([^/?#\\]*)',
      1
    ),
    '(?s)\A.*@',
    ''
  );

create macro bq.net_host(url) as
  nullif(
    regexp_replace(
      ltrim(regexp_extract(bq.url_authority(url), '(?s)\A(?:\[[^\[\]]*[\[\]]?)?[^:]*'), '.'),
      '\.+\z',
      '.'
    ),
    ''
  );
