"""Where requests come from and go to, and what opens doors."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.nlp

AWS = "AKIAIOSFODNN7EXAMPLE"
HEX = "9f3c1d7ab2e84f60a1b2c3d4e5f6071829303a4b5c6d7e8f0123456789abcdef"
JWT_LIKE = "k-08d1e6b2a4c9Qm2XrV7b"
DOCUMENTS = {
    "cookies": "Cookie: _ga=«GA1.2.1122334455.1700000001»; session=«f3a9c1d7ab2e84f6»; theme=dark",
    "cookie member": {"headers": {"cookie": "session=«f3a9c1d7ab2e84f6»; _ga=«GA1.2.1122334455.1700000001»; lang=en"}},
    "set-cookie": {
        "set-cookie": "sid=«f3a9c1d7ab2e84f6»; Path=/; Domain=shop.example.com; Max-Age=3600; Expires=Wed, 21 Oct 2026 07:28:00 GMT; SameSite=Lax; HttpOnly; Secure"
    },
    "set-cookie line": "Set-Cookie: sid=«f3a9c1d7ab2e84f6»; Max-Age=3600; Path=/; Secure; HttpOnly; SameSite=None",
    "authorization": {
        "authorization": "Bearer «" + JWT_LIKE + "»",
        "Proxy-Authorization": "Basic «b2RhOmh1bnRlcjI3Nw==»",
        "x-api-key": "«" + JWT_LIKE + "»",
        "accept": "application/json",
        "content-type": "application/json",
    },
    "token scheme": "Authorization: Token «" + JWT_LIKE + "»",
    "apikey scheme": "Authorization: ApiKey «" + JWT_LIKE + "»",
    "digest scheme": 'Authorization: Digest username="«oda.marlow»", realm="shop", nonce="«dcd98b7102dd2f0e8b11d0f600bfb0c0»", uri="/orders", response="«6629fae49393a05397450978507c4ef1»"',
    "sigv4": "Authorization: AWS4-HMAC-SHA256 Credential=«"
    + AWS
    + "»/20260101/us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-date, Signature=«"
    + HEX
    + "»",
    "s3 url": "https://media.s3.amazonaws.com/reports/q3.pdf?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=«"
    + AWS
    + "»%2F20260101%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20260101T000000Z&X-Amz-Expires=3600&X-Amz-SignedHeaders=host&X-Amz-Signature=«"
    + HEX
    + "»",
    "azure sas": "https://acct.blob.core.windows.net/c/report.pdf?sv=2024-08-04&st=2026-01-01T00%3A00%3A00Z&se=2026-01-02T00%3A00%3A00Z&sr=b&sp=r&sig=«kTx2q83vEjRWeJCrze8Q2XrV7bKpLz1%3D»",
    "gcs url": "https://storage.googleapis.com/b/o.txt?X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Date=20260101T000000Z&X-Goog-Expires=600&X-Goog-SignedHeaders=host&X-Goog-Signature=«"
    + HEX
    + "»",
    "postgres": "postgres://«shopper»:«hunter2x»@«db7.acme-internal.example.org»:5432/shop?sslmode=require",
    "mysql": "mysql+pymysql://«app_rw»:«s3cr3tpw»@«mysql-3.prod.internal»:3306/orders",
    "redis": "redis://:«s3cr3tpw»@«cache-2».corp:6379/0",
    "mongo": "mongodb+srv://«appuser»:«s3cr3tpw»@«cluster0.ab1cd.mongodb.net»/shop?retryWrites=true&w=majority",
    "amqp": "amqps://«appuser»:«s3cr3tpw»@«rabbit1.prod.local»:5671/%2F",
    "odbc": "Driver={ODBC Driver 18 for SQL Server};Server=«sql7».corp.local,1433;Database=shop;Uid=«appuser»;Pwd=«s3cr3tpw»;Encrypt=yes",
    "jdbc": "jdbc:postgresql://«db7.prod.internal»:5432/shop?user=«appuser»&password=«s3cr3tpw»",
    "libpq": "host=«db7.prod.internal» port=5432 dbname=shop user=«appuser» password=«s3cr3tpw» sslmode=require",
    "git url with token": "https://«ghp_0123456789abcdefABCD0123456789abcdef»@github.com/acme/shop.git",
    "internal hosts": "connect to db-prod-«7».internal failed, then «vault».corp, «nas».local and «orders.shop».svc.cluster.local:8080",
    "ec2 names": "node «ip-10-3-7-21».ec2.internal and «ec2-203-0-113-9».compute-1.amazonaws.com",
    "pod names": "pod «checkout-api-7f9c5d8b6f-x2k4p» restarted; deployment checkout-api is fine; statefulset orders-db-0",
    "k8s": {
        "kubernetes": {
            "pod_name": "«checkout-api-7f9c5d8b6f-x2k4p»",
            "namespace_name": "shop",
            "container_name": "api",
            "host": "«ip-10-3-7-21.ec2.internal»",
            "pod_ip": "«10.3.7.21»",
            "labels": {"app": "checkout-api"},
        },
        "stream": "stderr",
        "level": "error",
    },
    "mac forms": "MACs «00:00:5e:00:53:af», «00-00-5E-00-53-AF», «0000.5e00.53af» on VLAN 12",
    "ip forms": "from «203.0.113.9» [«2001:db8::1»]:443 via «::ffff:203.0.113.9» and «fe80::1ff:fe23:4567:890a»%eth0, not 127.0.0.1 nor 1.2.3",
    "ip fields": {
        "ip": "«203.0.113.9»",
        "x-forwarded-for": "«203.0.113.9», «198.51.100.7»",
        "client_ip": "«2001:db8::1»",
        "server_port": 443,
    },
    "path ids": "GET /users/«88213»/orders/«5521»?page=2 404",
    "path ids of a url": "https://api.example.com/v2/customers/«cus_N3xQ0aB3kk»/orders/«5521»/items?limit=10",
    "path user": "https://app.example.com/u/«oda.marlow»/settings",
    "path words": "https://app.example.com/users/me/orders/search?status=open and /accounts/settings/profile",
    "profile links": "https://www.linkedin.com/in/«oda-marlow-77a» https://github.com/«odamarlow» https://x.com/«odamarlow»/status/«1790000000000000001»",
    "repository links": "https://github.com/acme/shop/issues/12 and https://gitlab.com/acme/requests/",
    "meeting": "https://zoom.us/j/«99123456781»?pwd=«Q2w3ZXJ0eXVpb3A» and https://meet.google.com/«abc-defg-hij»",
    "home paths": "/home/«omarlow»/app/main.py /Users/«oda.marlow»/x C:\\Users\\«omarlow»\\Desktop\\a.txt",
    "file urls": "file:///C:/Users/«omarlow»/a.txt file:///home/«omarlow»/b.txt",
    "unc": r"\\«fs7».corp\home$\«omarlow»\report.xlsx",
    "ssh": "ssh «deploy7»@«bastion-2.prod.internal» and scp a.txt «omarlow»@«10.3.7.21»:/tmp",
    "git author": "commit d92fce3726746a0b1c2d3e4f506172831a2b3c4d\nAuthor: «Oda Marlow» <«oda@mail.example.net»>\nDate:   Mon Mar 2 09:00:00 2026 +0100\n\n    Fix retry of refund",
    "ssh key": "ssh-ed25519 «AAAAC3NzaC1lZDI1NTE5AAAAIJ3k9Qm2XrV7bKpLz1f0Qm2XrV7bKpLz1f0Qm2XrV7bK» «omarlow»@«laptop-7»",
    "openai": {"openai_api_key": "«sk-proj-Abc0123456789defGHI0123456789jkl»"},
    "keys in text": "use «sk-ant-api03-"
    "Abc0123456789defGHI0123456789jkl» or «AI"
    "zaSyA0123456789abcdefghijklmnopqrstuv» now",
    "aws pair": "aws_access_key_id = «" + AWS + "»\naws_secret_access_key = «wJalrXUtnFEMI/K7MDENG/bPxRfiCY"
    "EXAMPLEKEY»\nregion = eu-west-1",
    "azure keys": "DefaultEndpointsProtocol=https;AccountName=«shopstore»;AccountKey=«Q2w3ZXJ0eXVpb3BQ2w3ZXJ0eXVpb3BQ2w3ZXJ0eXVpb3BQ2w3ZXJ0eXVpb3A==»;EndpointSuffix=core.windows.net",
    "slack webhook": "post to https://hooks.slack.com/services/«T0G9PQBBK»/«B0G9PQBBK»/«XXabcDEF0123456789abcdEF»",
    "discord webhook": "https://discord.com/api/webhooks/«112233445566778899»/«"
    "abcDEF0123456789abcdEF0123456789abcDEF0123456789»",
    "telegram bot": "bot token «7123456789:AAF0123456789abcdefGHIJKLMNOPQRSTUV» works",
    "more tokens": [
        "«hf_AbcdEFGHijklMNOPqrstUVWXyz0123456789»",
        "«dapi0123456789abcdef0123456789abcdef»",
        "«npm_AbcdEFGHijklMNOPqrstUVWXyz0123456789»",
        "«shpat_0123456789abcdef0123456789abcdef»",
        "«sq0csp-AbcdEFGHijklMNOPqrstUVWXyz0123456789AbcdEFG»",
        "«key-0123456789abcdef0123456789abcdef»",
        "«glpat-AbcdEFGHijklMNOPqrst»",
        "«AGE-SECRET-KEY-1QQPQRSTUVWXYZ023456789ACDEFGHJKLMNPQRSTUVWXYZ023456789ACDEFGH»",
        "«SG.AbcdEFGHijklMNOPqrst.AbcdEFGHijklMNOPqrstUVWXyz0123456789AbcdEFG»",
        "«EAAAlAbcdEFGHijklMNOPqrstUVWXyz0123456789AbcdEFGHijklMNOPqrstUVWX»",
    ],
    "pem": "-----BEGIN RSA PRIVATE KEY-----\n«MIIBVgIBADANBgkqhkiG9w0BAQEFAASCAT8wggE7AgEAAkEAq7BFUpkGp3»\n-----END RSA PRIVATE KEY-----",
    "password assignments": "DB_PASSWORD=«hunter2x» and passwd: «Tr0ub4dor&3»; the password is «correct-horse-9»",
    "passwords that are none": "The password is required. Password reset was sent. password: ********, and reset your password.",
    "graph ids": {
        "id": "«87d349ed-44d7-43e1-9a83-5f2406dee5bd»",
        "@odata.context": "https://graph.microsoft.com/v1.0/$metadata#users/$entity",
        "tenantId": "«72f988bf-86f1-41af-91ab-2d7cd011db47»",
    },
    "record ids": {
        "order_id": "«ORD-77120-A»",
        "cart_id": "«crt_8sJd02kLmQw»",
        "correlation_id": "«5f2b-77a0-11e»",
        "status": "shipped",
        "sku": "DL-100-BK",
        "refund": {"id": "«re_3MqzABCD0kk»", "object": "refund", "reason": "requested_by_customer"},
    },
    "idempotency and trace": {
        "idempotency-key": "«refund-77120-1»",
        "traceparent": "00-«0af7651916cd43dd8448eb211c80319c»-«b7ad6b7169203331»-01",
        "x-request-id": "«req_8sJd02kLmQw»",
        "x-ratelimit-remaining": "99",
    },
    "numeric ids": {
        "id": "«#88213774»",
        "customer_id": "«#4821»",
        "order": {"id": "«#900124»", "items": 3, "total": 12990},
        "page": 2,
        "count": 88213,
    },
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_only_identifiers_change(faults, name):
    assert faults(DOCUMENTS[name]) == []
