import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.FileInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/** HTTPS servers of the JDK: for each argument VERSION:CERTIFICATE:KEY one port, printed in that order. */
public final class TlsPeer {
    public static void main(String[] arguments) throws Exception {
        for (String argument : arguments) {
            String[] parts = argument.split(":");
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(managers(parts[1], parts[2]).getKeyManagers(), null, null);
            HttpsServer server =
                    HttpsServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 0);
            server.setHttpsConfigurator(new HttpsConfigurator(context) {
                @Override
                public void configure(HttpsParameters parameters) {
                    SSLParameters chosen = getSSLContext().getDefaultSSLParameters();
                    chosen.setProtocols(new String[] {parts[0]});
                    parameters.setSSLParameters(chosen);
                }
            });
            server.createContext("/", exchange -> {
                exchange.sendResponseHeaders(200, 2);
                exchange.getResponseBody().write("ok".getBytes());
                exchange.close();
            });
            server.start();
            System.out.println(server.getAddress().getPort());
        }
    }

    private static KeyManagerFactory managers(String certificate, String key) throws Exception {
        Certificate own;
        try (FileInputStream file = new FileInputStream(certificate)) {
            own = CertificateFactory.getInstance("X.509").generateCertificate(file);
        }
        String text = Files.readString(Path.of(key)).replaceAll("-----[A-Z ]+-----|\\s", "");
        PKCS8EncodedKeySpec encoded = new PKCS8EncodedKeySpec(Base64.getDecoder().decode(text));
        PrivateKey secret = KeyFactory.getInstance(own.getPublicKey().getAlgorithm()).generatePrivate(encoded);
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry("own", secret, new char[0], new Certificate[] {own});
        KeyManagerFactory managers = KeyManagerFactory.getInstance("SunX509");
        managers.init(store, new char[0]);
        return managers;
    }
}
